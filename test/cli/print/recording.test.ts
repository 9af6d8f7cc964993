import { expect, test } from "vitest";
import { makeStream } from "../../../src/cli/print/output.js";
import { tellRecording } from "../../../src/cli/print/recording.js";
import { TreeGround } from "../../tree/ground.js";

test("the first recording is said once, whichever program made it", () => {
  const { store } = new TreeGround({}, { git: false });
  store.notes.add("recording", "first", { kept: 2, left: 0 });
  let said = "";
  const write = (bytes: Uint8Array): void => {
    said += new TextDecoder().decode(bytes);
  };
  const err = makeStream({ env: {}, write, isTerminal: true, columns: 200 });
  tellRecording(store, err);
  expect(said).toContain("2 uncommitted files are on record on this machine");
  expect(said).toContain("kedge session purge");
  const before = said;
  tellRecording(store, err);
  expect(said).toBe(before);
});
