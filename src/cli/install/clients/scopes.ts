/** Settings of every scope: a client starts no hook if one of them says so. */
import { join } from "node:path";
import { valueAt } from "../config/json-edit.js";
import { type JsonPath, JsonProblem } from "../config/jsonc.js";
import type { Off, Setup } from "../types.js";

/** A setting, and the values of it that keep hooks from running. */
export type Switch = readonly [path: JsonPath, isOff: (value: unknown) => boolean];

export const isTrue = (value: unknown): boolean => value === true;
export const isFalse = (value: unknown): boolean => value === false;

/** Returns the first switch that is off in any of the files. */
export function switchedOff(
  files: readonly string[],
  { read }: Pick<Setup, "read">,
  switches: readonly Switch[],
): Off | null {
  for (const file of files) {
    const text = read(file);
    for (const [path, isOff] of text === null ? [] : switches) {
      const value = readableValue(text as string, path);
      if (isOff(value)) return switchedOffIn(file, `${path.join(".")} is ${JSON.stringify(value)}`);
    }
  }
  return null;
}

export const switchedOffIn = (file: string, why: string): Off => ({
  ...{ why, file, todo: "take that out, or ask who set it" },
});

/** A client leaves out a file that it cannot read. */
function readableValue(text: string, path: JsonPath): unknown {
  try {
    return valueAt(text, path);
  } catch (error) {
    if (error instanceof JsonProblem) return undefined;
    throw error;
  }
}

/** Where programs keep what counts for all users of a machine. */
export function systemFolder(names: {
  readonly linux: string;
  readonly mac: string;
  readonly windows: string;
}) {
  if (process.platform === "darwin") return join("/Library/Application Support", names.mac);
  return process.platform === "win32" ? names.windows : join("/etc", names.linux);
}
