/** Of secret-looking files, and of what is outside the workspace, nothing but hashes is kept. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { Place } from "./support.js";

function unpacked(bytes: Buffer): Buffer[] {
  return [inflateSync, inflateRawSync, gunzipSync, brotliDecompressSync].flatMap((unpack) => {
    try {
      return [unpack(bytes)];
    } catch {
      return [];
    }
  });
}

/** What is in a file, or would be once it is unpacked, or once something in its lines is. */
function readings(bytes: Buffer): string[] {
  const isText = !bytes.includes(0);
  const words = isText ? (bytes.toString("latin1").match(/(?<=")[A-Za-z0-9+/]{8,}={0,2}(?=")/g) ?? []) : [];
  const decoded = words.map((word) => Buffer.from(word, "base64"));
  const all = [bytes, ...unpacked(bytes), ...decoded, ...decoded.flatMap(unpacked)];
  return all.map((one) => one.toString("latin1"));
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

const plain = (number: number): string => `SECRET${number}`;
/** The shape of a key, put together here. */
const keyed = (number: number): string => `ghp_SECRET${number}${"x".repeat(29)}`;

/** Everything that is done to the file, and every way in which it goes wrong. */
function work(place: Place, name: string, s: (number: number) => string = plain): void {
  const apply = (session: string, body: object) =>
    place.run(["apply", "-", "--session", session], { input: JSON.stringify(body) });
  const replace = (old: string, fresh: string) => ({ op: "replace_text", old, new: fresh });
  const shown = place.ok("read", name);
  expect(apply("tester", { path: name, edits: [replace(s(0), s(1))] }).status).toBe(0);
  // Sent again, as it is and in vain; of what stands nowhere, and in several places.
  apply("tester", { path: name, edits: [replace(s(0), s(1))] });
  apply("tester", { path: name, edits: [replace(s(7), s(8))] });
  apply("tester", { path: name, edits: [replace("=", `=${s(2)}`)] });
  apply("tester", { path: name, edits: [{ op: "set_line", anchor: anchor(shown, 2), text: `B=${s(3)}` }] });
  // Changed by somebody else: refused with a handle, and refused without.
  place.put(name, place.text(name).replace(s(3), s(4)));
  apply("tester", { path: name, edits: [{ op: "set_line", anchor: anchor(shown, 2), text: `B=${s(5)}` }] });
  apply("other", { path: name, edits: [replace(s(4), s(5))] });
  place.run(["write", name, "--session", "other"], { input: `C=${s(6)}\n` });
  place.run(["grep", "SECRET"]);
  place.ok("read", name);
  place.run(["write", name], { input: `A=${s(1)}\nB=${s(9)}\nc\n` });
  apply("tester", {
    files: [
      { path: name, edits: [replace(s(9), s(8))] },
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
  const call = { tool_name: "Bash", tool_input: command, tool_use_id: "t1", tool_response: text };
  send({ hook_event_name: "PostToolBatch", tool_calls: [call] });
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

  test("of a file in which a key stands", () => {
    const place = new Place({ "b.ts": `A=${keyed(0)}\nB=b\nc\n`, "a.txt": "a\n" });
    work(place, "b.ts", keyed);
    expect(kept(place, secret)).toEqual([]);
    place.put("b.ts", `A=${keyed(1)}\nB=b\nc\n`);
    guard(place, place.path("b.ts"));
    expect(kept(place, /ghp_SECRET/)).toEqual([]);
  });

  test("of commands: what looks like a secret is masked", () => {
    const place = new Place({ "a.txt": "a\n" });
    execFileSync("git", ["init", "-q"], { cwd: place.folder });
    execFileSync("git", ["add", "."], { cwd: place.folder });
    const message = ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a"];
    execFileSync("git", message, { cwd: place.folder });
    const shown = place.ok("read", "a.txt", "--session", "claude-code:s");
    place.ok("edit", "a.txt", anchor(shown, 1), "b", "--session", "claude-code:s");
    execFileSync("git", ["checkout", "-q", "--", "."], { cwd: place.folder });
    const command = `TOKEN=${plain(1)} git checkout -- . # ${keyed(2)}`;
    const calls = [{ tool_name: "Bash", tool_input: { command }, tool_use_id: "t1", tool_response: "" }];
    const event = { session_id: "s", cwd: place.folder, transcript_path: "", permission_mode: "default" };
    const input = JSON.stringify({ ...event, hook_event_name: "PostToolBatch", tool_calls: calls });
    place.run(["hook", "claude-code", "--state", place.state], { input });
    expect(place.ok("lost", "--json")).toContain("TOKEN=[masked] git checkout");
    expect(kept(place, secret)).toEqual([]);
  });

  test("is gone after a purge", () => {
    const place = new Place({ "b.txt": content, "a.txt": "a\n" });
    work(place, "b.txt");
    guard(place, place.path("b.txt"));
    expect(kept(place, secret)).not.toEqual([]);
    place.ok("session", "purge", "--yes");
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
