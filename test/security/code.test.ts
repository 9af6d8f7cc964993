/** Machine code in the state folder is run as it is: only what this user wrote, and nobody else could, is loaded. */

import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const hook = resolve("dist/hook.cjs");

/** A state folder in which an event has left its machine code; `again` sends the event once more. */
function warmed() {
  const folder = mkdtempSync(join(tmpdir(), "kedge-code-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const state = join(folder, "state");
  const event = { session_id: "s", cwd: folder, hook_event_name: "UserPromptSubmit", prompt: "x" };
  const again = (): void => {
    const env = { PATH: process.env.PATH, HOME: folder, KEDGE_STATE: state };
    const options = { input: JSON.stringify(event), env: { ...env, XDG_STATE_HOME: folder } };
    const { status } = spawnSync(process.execPath, [hook, "claude-code", "--state", state], options);
    expect(status).toBe(0);
  };
  again();
  const code = [join(state, "code"), join(folder, "kedge", "code")].find((path) => {
    try {
      return readdirSync(path).length > 0;
    } catch {
      return false;
    }
  }) as string;
  const file = join(code, readdirSync(code)[0] as string);
  return { again, code, file, made: (): string => `${statSync(file).ino} ${statSync(file).mtimeMs}` };
}

const posix = test.skipIf(process.platform === "win32");

posix("what this user wrote is loaded, and stays as it is", () => {
  const { again, made } = warmed();
  const before = made();
  again();
  expect(made()).toBe(before);
});

posix.each([
  ["the file", "file", 0o666],
  ["the file, by the group", "file", 0o660],
  ["its folder", "code", 0o777],
] as const)("what somebody else could have written is not loaded but made anew: %s", (_, what, mode) => {
  const place = warmed();
  const before = place.made();
  chmodSync(place[what], mode);
  place.again();
  expect(place.made()).not.toBe(before);
});

test.skipIf(process.geteuid?.() !== 0)("what another user wrote is not loaded", () => {
  const place = warmed();
  const before = place.made();
  chownSync(place.file, 12_345, 12_345);
  place.again();
  expect(place.made()).not.toBe(before);
});
