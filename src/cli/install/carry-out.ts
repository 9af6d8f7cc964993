/** Does what was planned: all files or none, with backups and a record that uninstalling goes by. */

import { existsSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { compare, unifiedDiff } from "../../changes/index.js";
import { Document, isSameBytes } from "../../text/index.js";
import type { NodeFiles } from "../../workspace/index.js";
import { InputError } from "../input.js";
import type { Planned } from "./plan.js";
import { digest } from "./program.js";
import type { FileRecord, Installation, Records } from "./record.js";

type Outcome = "created" | "changed" | "removed" | "unchanged";

export function outcomeOf({ before, after }: Planned): Outcome {
  if (before === null) return after === null ? "unchanged" : "created";
  if (after === null) return "removed";
  return isSameBytes(before, after) ? "unchanged" : "changed";
}

/** A unified diff under the name by which people know the file. */
export function diffOf(planned: Planned, name: string): string {
  if (outcomeOf(planned) === "unchanged") return "";
  const [before, after] = [planned.before, planned.after].map((bytes) =>
    Document.parse(bytes ?? new Uint8Array(0)),
  ) as [Document, Document];
  const rows = unifiedDiff(name, before, after, compare(before, after)).split("\n").slice(2);
  const side = (bytes: Uint8Array | null): string => (bytes === null ? "/dev/null" : name);
  return [`--- ${side(planned.before)}`, `+++ ${side(planned.after)}`, ...rows].join("\n");
}

interface Work {
  readonly files: NodeFiles;
  readonly records: Records;
  readonly plan: readonly Planned[];
  readonly time: number;
}

/** The record comes first: should the writing fail, it only says what to go back to. Answers with the backups made. */
export async function carryOutInstall(
  work: Work,
  about: Omit<Installation, "files">,
): Promise<Map<string, string>> {
  const { records, plan, time } = work;
  const backups = new Map<string, string>();
  const previous = records.find(about);
  const entries = plan
    .filter(({ after, base }) => after !== null && !isSameOrNull(after, base))
    .map((one): FileRecord => {
      if (one.before !== null && outcomeOf(one) !== "unchanged" && !isOwnWriting(one))
        backups.set(one.path, records.backUp(one.path, one.before, time));
      return { path: one.path, ...basis(one, work, backups), after: digest(one.after as Uint8Array) };
    });
  records.save({ ...about, files: entries });
  try {
    await commit(work);
  } catch (error) {
    if (previous) records.save(previous);
    else records.remove(about);
    throw error;
  }
  removeFolders(plan);
  return backups;
}

const isOwnWriting = ({ before, record }: Planned): boolean =>
  before !== null && record?.after === digest(before);

const isSameOrNull = (one: Uint8Array | null, two: Uint8Array | null): boolean =>
  one === null || two === null ? one === two : isSameBytes(one, two);

/** Returns the text to restore: that of the first time, as long as nobody else has written since. */
function basis(one: Planned, { records, time }: Work, backups: ReadonlyMap<string, string>) {
  const { path, before, base, record } = one;
  const folders = record?.folders ?? (before === null ? missingAbove(path) : []);
  if (record && isOwnWriting(one)) return { backup: record.backup, folders };
  if (base === null) return { backup: null, folders };
  const same = before !== null && isSameBytes(base, before) ? backups.get(path) : undefined;
  return { backup: same ?? records.backUp(`${path}.base`, base, time), folders };
}

/** Folders that have to be made for a file, outermost first. */
function missingAbove(path: string): string[] {
  const missing: string[] = [];
  for (let at = dirname(path); !existsSync(at); at = dirname(at)) missing.unshift(at);
  return missing;
}

export async function carryOutUninstall(work: Work, record: Installation | null): Promise<void> {
  const { records, plan } = work;
  await commit(work);
  if (record) records.remove(record);
  // A restored file needs no backup; a file that others changed since may.
  const restored = plan.filter((one) => isOwnWriting(one) && isSameOrNull(one.after, one.base));
  for (const one of restored) if (one.record?.backup) rmSync(one.record.backup, { force: true });
  removeFolders(plan);
}

/** Removes folders that were made for files which are gone. */
function removeFolders(plan: readonly Planned[]): void {
  const gone = plan.filter(({ after }) => after === null);
  for (const folder of gone.flatMap(({ record }) => record?.folders ?? []).toReversed())
    removeIfEmpty(folder);
}

function removeIfEmpty(folder: string): void {
  try {
    if (readdirSync(folder).length === 0) rmdirSync(folder);
  } catch {
    // Somebody else removed the folder.
  }
}

async function commit({ files, plan }: Work): Promise<void> {
  const changed = plan.filter((one) => outcomeOf(one) !== "unchanged");
  if (changed.length === 0) return;
  const writes = changed.map(({ id, before, after }) => ({ file: id, before, after }));
  const done = await files.hold(
    changed.map(({ id }) => id),
    (held) => held.commit(writes),
  );
  if (!done)
    throw new InputError(
      `${changed.map(({ path }) => path).join(", ")}: changed by another program just now; nothing was written, run it again`,
    );
}
