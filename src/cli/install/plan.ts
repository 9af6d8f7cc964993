/** The plan of installing or uninstalling: computed for each file first, then shown, then carried out or not. */

import { readFileSync } from "node:fs";
import type { FileId } from "../../ports/index.js";
import type { NodeFiles } from "../../workspace/index.js";
import { InputError } from "../input.js";
import { JsonProblem, positionOf } from "./config/jsonc.js";
import { digest } from "./program.js";
import type { FileRecord, Installation } from "./record.js";
import type { Base, ConfigFile, Part } from "./types.js";

export interface Planned {
  readonly id: FileId;
  readonly path: string;
  readonly before: Uint8Array | null;
  readonly after: Uint8Array | null;
  /** The bytes before Kedge wrote to the file. */
  readonly base: Uint8Array | null;
  readonly record: FileRecord | undefined;
}

interface Planning {
  readonly files: NodeFiles;
  readonly configs: readonly ConfigFile[];
  readonly record: Installation | null;
}

export function planInstall(planning: Planning, wanted: ReadonlySet<Part>): Promise<Planned[]> {
  return eachFile(planning, (config, { text, base, own }) => {
    const before = base === undefined && text !== null ? config.take(text, own, undefined) : base;
    return { after: config.put(text, wanted), base: before ?? null };
  });
}

/** Plans the removal of the unwanted parts; null: of everything that was installed. */
export function planUninstall(planning: Planning, unwanted: ReadonlySet<Part> | null): Promise<Planned[]> {
  return eachFile(planning, (config, { text, base, own, isAsWritten }) => {
    if (text === null) return { after: null, base: null };
    if (unwanted === null && isAsWritten && base !== undefined) return { after: base, base };
    return { after: config.take(text, unwanted ?? own, base), base: base ?? null };
  });
}

interface Found {
  readonly text: string | null;
  readonly base: Base;
  /** Parts of it that are ours. */
  readonly own: ReadonlySet<Part>;
  /** The file is unchanged since the installation. */
  readonly isAsWritten: boolean;
}

type Change = (
  config: ConfigFile,
  found: Found,
) => { readonly after: string | null; readonly base: string | null };

async function eachFile({ files, configs, record }: Planning, change: Change): Promise<Planned[]> {
  const planned: Planned[] = [];
  for (const config of configs) {
    const { path } = config;
    const id = await files.identify(path);
    const before = await files.read(id);
    const recorded = record?.files.find((one) => one.path === path);
    const text = before === null ? null : decoded(before, path);
    const { after, base } = explained(path, text, () => {
      const own = new Set(record?.parts ?? (text === null ? [] : config.has(text)));
      const isAsWritten = before !== null && recorded?.after === digest(before);
      return change(config, {
        text,
        own,
        isAsWritten,
        base: baseOf(config, { text, own, isAsWritten }, recorded),
      });
    });
    planned.push({ id, path, before, after: bytesOf(after), base: bytesOf(base), record: recorded });
  }
  return planned;
}

/** Returns the text to restore. If somebody else changed the file since, that is the file now without our entries. */
function baseOf(
  config: ConfigFile,
  { text, own, isAsWritten }: Omit<Found, "base">,
  recorded: FileRecord | undefined,
): Base {
  if (text === null) return null;
  if (!recorded) return own.size > 0 ? undefined : text;
  const backup = readBackup(recorded);
  return isAsWritten || backup === undefined ? backup : config.take(text, own, backup);
}

function readBackup({ backup }: FileRecord): Base {
  try {
    return backup === null ? null : readFileSync(backup, "utf8");
  } catch {
    return undefined;
  }
}

function explained<T>(path: string, text: string | null, body: () => T): T {
  try {
    return body();
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error;
    const place = positionOf(text ?? "", error.offset);
    throw new InputError(`${path}, ${place}: ${error.message}; nothing was changed, repair the file first`);
  }
}

function decoded(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new InputError(`${path} is not UTF-8 text; nothing was changed`);
  }
}

const bytesOf = (text: string | null): Uint8Array | null =>
  text === null ? null : new TextEncoder().encode(text);
