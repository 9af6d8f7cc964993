/** The record of an installation, so that uninstalling restores every byte. Kept in the state folder, with backups. */

import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { digest } from "./program.js";
import type { Part, Scope } from "./types.js";

export interface FileRecord {
  readonly path: string;
  /** The backup of what stood there before anything of ours did; null: there was no file. */
  readonly backup: string | null;
  /** Digest of the written text. While the file has that text, the backup is the exact text to restore. */
  readonly after: string;
  /** Folders that were made for it, outermost first. */
  readonly folders: readonly string[];
}

export interface Installation {
  readonly client: string;
  readonly scope: Scope;
  /** The project, or the home folder. */
  readonly root: string;
  readonly parts: readonly Part[];
  readonly version: string;
  readonly time: number;
  readonly files: readonly FileRecord[];
}

export type Place = Pick<Installation, "client" | "scope" | "root">;

export class Records {
  private readonly folder: string;

  constructor(state: string) {
    this.folder = join(state, "install");
  }

  all(): Installation[] {
    return namesIn(this.folder)
      .filter((name) => name.endsWith(".json"))
      .flatMap((name) => readRecord(join(this.folder, name)));
  }

  find({ client, scope, root }: Place): Installation | null {
    return (
      this.all().find((one) => one.client === client && one.scope === scope && one.root === root) ?? null
    );
  }

  save(record: Installation): void {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    const path = this.path(record);
    const temporary = `${path}.${process.pid}.tmp`;
    writeFileSync(temporary, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600, flush: true });
    renameSync(temporary, path);
  }

  remove(place: Place): void {
    rmSync(this.path(place), { force: true });
  }

  /** Returns the path of a copy of the bytes. Its name tells the file and the time. */
  backUp(path: string, bytes: Uint8Array, time: number): string {
    const folder = join(this.folder, "backup");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const stamp = new Date(time).toISOString().replaceAll(":", "-").replace("Z", "");
    const name = `${basename(path)}.${stamp}.${digest(path).slice(0, 8)}`;
    writeFileSync(join(folder, name), bytes, { mode: 0o600, flush: true });
    return join(folder, name);
  }

  private path({ client, scope, root }: Place): string {
    return join(this.folder, `${client}.${scope}.${digest(root).slice(0, 12)}.json`);
  }
}

function readRecord(path: string): Installation[] {
  try {
    return [JSON.parse(readFileSync(path, "utf8")) as Installation];
  } catch {
    // The entries themselves can be removed without a record; only the exact bytes before are unknown.
    return [];
  }
}

/** Sorted; none where there is no such folder. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
