import { expect, it } from "vitest";
import { type Files, type Held, PortError } from "../../src/ports/files.js";
import { memoryFiles, memoryStore } from "../../src/ports/index.js";
import { bench, on, outcome, path } from "../support/session.js";
import { altered } from "../support/store.js";

const three = "a b c";

/** What happens in which order: a commit takes a while, as one on a disk does. */
function told(commit: (write: () => Promise<boolean>) => Promise<boolean>, keep = true) {
  const events: string[] = [];
  const files = memoryFiles({ [path]: "a\nb\nc\n" });
  const slow: Files = {
    ...files,
    identify: async (asked) => ({ ...(await files.identify(asked)), keep }),
    hold: (ids, body) =>
      files.hold(ids, (held) => {
        const watched: Held = {
          ...held,
          async commit(writes) {
            events.push("begins");
            const done = await commit(() => held.commit(writes));
            events.push(`done: ${done}`);
            return done;
          },
        };
        return body(watched);
      }),
  };
  const plain = memoryStore();
  const store = altered(plain, {
    finish: async (outcome, write) => {
      for (const { bytes } of outcome.versions)
        events.push(`keeps ${new TextDecoder().decode(bytes).trim().replaceAll("\n", " ")}`);
      await write(outcome);
    },
  });
  const { session } = bench(three, { files: slow, store });
  const edit = async () => {
    await session.read({ path });
    events.length = 0;
    return session.edit(on(three).set(2, "B"));
  };
  return { edit, events, files };
}

const later = async (write: () => Promise<boolean>): Promise<boolean> => {
  await new Promise((resolve) => setTimeout(resolve, 5));
  return write();
};

it("a new text is kept once its file is written", async () => {
  const { edit, events } = told(later);
  expect(outcome(await edit())).toBe("applied");
  expect(events.slice(0, 3)).toEqual(["begins", "done: true", "keeps a B c"]);
});

it("the text of a file that may not be kept is not", async () => {
  const { edit, events } = told(later, false);
  expect(outcome(await edit())).toBe("applied");
  expect(events.slice(0, 2)).toEqual(["begins", "done: true"]);
});

it("a commit that fails at once fails as it is, whatever became of the text", async () => {
  const { edit, files } = told(async () => {
    throw new PortError("io", "cannot write it");
  });
  expect(outcome(await edit())).toBe("!io");
  expect(files.text(path)).toBe("a\nb\nc\n");
});
