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

/** Variables with which a client starts without hooks: those of this shell, and those that its settings set for it. */
export function variablesOff(
  names: readonly string[],
  files: readonly string[],
  setup: Pick<Setup, "read" | "env">,
): Off | null {
  const here = names.find((name) => isSet(setup.env[name]));
  if (here !== undefined) return { why: `${here} is set here`, todo: `unset ${here}` };
  const switches = names.map((name): Switch => [["env", name], isSet]);
  return switchedOff(files, setup, switches);
}

/** As clients read such a variable. */
const isSet = (value: unknown): boolean => /^(1|true|yes|on)$/i.test(String(value ?? "").trim());

/** Says whether a file of trusted folders holds that this one is not: the longest path that it lies in decides. */
export function isDistrusted(file: string, { project, read }: Pick<Setup, "project" | "read">): boolean {
  const rules = readableValue(read(file) ?? "", []);
  if (typeof rules !== "object" || rules === null) return false;
  const [longest] = Object.entries(rules)
    .filter(([path]) => `${project}/`.startsWith(`${path.replace(/[\\/]$/, "")}/`))
    .sort(([one], [other]) => other.length - one.length);
  return longest?.[1] === "DO_NOT_TRUST";
}

/** A client leaves out a file that it cannot read. */
export function readableValue(text: string, path: JsonPath): unknown {
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
