/** Of secret-looking files, and of what is outside the workspace, nothing but hashes is kept. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { Place } from "./support.js";

/** What is in a file, or would be once it is unpacked. */
function readings(bytes: Buffer): string[] {
  const unpacked = [inflateSync, inflateRawSync, gunzipSync, brotliDecompressSync].flatMap((unpack) => {
    try {
      return [unpack(bytes)];
    } catch {
      return [];
    }
  });
  return [bytes, ...unpacked].map((one) => one.toString("latin1"));
}

/** The files of the state folder in which something of this can be read. */
function kept(place: Place, secret: RegExp): string[] {
  return readdirSync(place.state, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readings(readFileSync(path)).some((text) => secret.test(text)));
}

const secret = /SECRET\d/;
const anchor = (text: string, line: number): string => text.split("\n")[line - 1]?.split("|")[0] ?? "";

/** Everything that is done to the file, and every way in which it goes wrong. */
function work(place: Place, name: string): void {
  const apply = (session: string, body: object) =>
    place.run(["apply", "-", "--session", session], { input: JSON.stringify(body) });
  const replace = (old: string, fresh: string) => ({ op: "replace_text", old, new: fresh });
  const shown = place.ok("read", name);
  expect(apply("tester", { path: name, edits: [replace("SECRET0", "SECRET1")] }).status).toBe(0);
  // Sent again, as it is and in vain; of what stands nowhere, and in several places.
  apply("tester", { path: name, edits: [replace("SECRET0", "SECRET1")] });
  apply("tester", { path: name, edits: [replace("SECRET7", "SECRET8")] });
  apply("tester", { path: name, edits: [replace("=", "=SECRET2")] });
  apply("tester", { path: name, edits: [{ op: "set_line", anchor: anchor(shown, 2), text: "B=SECRET3" }] });
  // Changed by somebody else: refused with a handle, and refused without.
  place.put(name, place.text(name).replace("SECRET3", "SECRET4"));
  apply("tester", { path: name, edits: [{ op: "set_line", anchor: anchor(shown, 2), text: "B=SECRET5" }] });
  apply("other", { path: name, edits: [replace("SECRET4", "SECRET5")] });
  place.run(["write", name, "--session", "other"], { input: "C=SECRET6\n" });
  place.run(["grep", "SECRET"]);
  place.ok("read", name);
  place.run(["write", name], { input: "A=SECRET1\nB=SECRET9\nc\n" });
  apply("tester", {
    files: [
      { path: name, edits: [replace("SECRET9", "SECRET8")] },
      { path: "a.txt", edits: [] },
    ],
  });
  place.run(["undo"]);
  place.run(["log", "--json"]);
}

function guard(place: Place, path: string): void {
  const send = (event: object): void => {
    const common = { session_id: "s", cwd: place.folder, transcript_path: "", permission_mode: "default" };
    place.run(["hook", "claude-code", "--state", place.state], {
      input: JSON.stringify({ ...common, ...event }),
    });
  };
  const edit = { file_path: path, old_string: "SECRET1", new_string: "SECRET2" };
  send({ hook_event_name: "PreToolUse", tool_name: "Edit", tool_input: edit });
  const write = { file_path: path, content: "A=SECRET3\n" };
  send({ hook_event_name: "PreToolUse", tool_name: "Write", tool_input: write });
  const text = readFileSync(path, "utf8");
  const file = { filePath: path, content: text, numLines: 3, startLine: 1, totalLines: 3 };
  const response = { type: "text", file };
  send({
    hook_event_name: "PostToolUse",
    tool_name: "Read",
    tool_input: { file_path: path },
    tool_response: response,
  });
  send({ hook_event_name: "PreToolUse", tool_name: "Edit", tool_input: edit });
  writeFileSync(path, text.replace("SECRET", "SECRET4"));
  send({ hook_event_name: "PreToolUse", tool_name: "Edit", tool_input: edit });
  const command = { command: `cat ${path}` };
  send({
    hook_event_name: "PostToolUse",
    tool_name: "Bash",
    tool_input: command,
    tool_response: { stdout: text },
  });
}

describe("what is kept", () => {
  const content = "A=SECRET0\nB=b\nc\n";

  test("of a secret-looking file", () => {
    const place = new Place({ ".env": content, "a.txt": "a\n" });
    work(place, ".env");
    expect(kept(place, secret)).toEqual([]);
    guard(place, place.path(".env"));
    expect(kept(place, secret)).toEqual([]);
  });

  test("of a file outside the workspace", () => {
    const place = new Place({ "a.txt": "a\n" });
    mkdirSync(join(place.scratch, "elsewhere"));
    const path = join(place.scratch, "elsewhere", "b.txt");
    writeFileSync(path, content);
    guard(place, path);
    expect(kept(place, secret)).toEqual([]);
  });

  test("of any other file: its text, so the look above sees what there is", () => {
    const place = new Place({ "b.txt": content, "a.txt": "a\n" });
    work(place, "b.txt");
    expect(kept(place, secret).length).toBeGreaterThan(2);
  });
});
