import { readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { nodeIo } from "../host/index.js";
import { linesIn } from "./output/file-lines.js";

/** Reads files without a lock or a ledger. */
export interface DiskView {
  /** False for a file that is too large to be looked through. */
  isFile(path: string): boolean;
  /** null if the file does not exist, is too large, or is no text. */
  lines(path: string): readonly string[] | null;
  /** Time of the file's last change, in milliseconds. */
  changed(path: string): number;
  /** The path behind links; the same path if it leads nowhere. */
  leadsTo(path: string): string;
  /** Some files of a folder whose names end like this. */
  filesIn(folder: string, ending: string): readonly string[];
}

const largest = 2 * 1024 * 1024;
const filesOfFolder = 60;

export const nodeDisk: DiskView = {
  isFile(path) {
    try {
      const stat = statSync(path);
      return stat.isFile() && stat.size <= largest;
    } catch {
      return false;
    }
  },
  lines(path) {
    try {
      return nodeDisk.isFile(path) ? linesIn(readFileSync(path)) : null;
    } catch {
      return null;
    }
  },
  changed: (path) => statSync(path).ctimeMs,
  leadsTo(path) {
    try {
      return nodeIo.realpath(path);
    } catch {
      return path;
    }
  },
  filesIn(folder, ending) {
    try {
      const entries = readdirSync(folder, { withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile() && extname(entry.name) === ending);
      return files.slice(0, filesOfFolder).map(({ name }) => join(folder, name));
    } catch {
      return [];
    }
  },
};
