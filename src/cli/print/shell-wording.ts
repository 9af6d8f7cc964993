import type { Door } from "../../answers/index.js";
import type { Range } from "../../text/index.js";
import type { Args } from "../args.js";

/** A word as a shell reads it back. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-][\w@%+=:,./#-]*$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

export function rangeList(ranges: readonly Range[]): string {
  return ranges.map(({ start, end }) => (start === end ? `${start}` : `${start}-${end}`)).join(",");
}

/** Flags without which the next call would be another agent's, or would not find the file. */
const carried = ["session", "root", "encoding"];
const policies = ["gate", "on-stale"];

/** Words the next call for a caller at a shell. In backquotes, since a word or a full stop may follow. */
export function shellDoor(args: Args): Door {
  const flags = (names: readonly string[]): string =>
    names.flatMap((name) => args.texts(name).map((value) => ` --${name} ${quoted(value)}`)).join("");
  const switches = (dryRun: boolean): string =>
    (dryRun ? " --dry-run" : "") + (args.has("unmoved") ? " --unmoved" : "");
  const again = (handle: string, dryRun = false): string =>
    `run \`kedge retry ${handle}${switches(dryRun)}${flags([...carried, ...policies])}\``;
  // Some shells' echo reads backslashes.
  const print = (request: string): string =>
    `${request.includes("\\") ? "printf %s" : "echo"} ${quoted(request)}`;
  const apply = (request: string, dryRun = false): string =>
    `run \`${print(request)} | kedge apply${switches(dryRun)}${flags([...carried, ...policies])} -\``;
  return {
    lists: true,
    read: (path, ranges) => {
      const some = ranges && ranges.length > 0 ? ` --ranges ${rangeList(ranges)}` : "";
      const dashes = path.startsWith("-") ? " --" : "";
      return `run \`kedge read${some}${flags(carried)}${dashes} ${quoted(path)}\``;
    },
    retry: (_, handle, dryRun) => `it again: ${again(handle, dryRun)}`,
    batch: (request, dryRun) => `a batch: ${apply(request, dryRun)}`,
  };
}
