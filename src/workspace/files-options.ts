import type { Limits } from "../disk/index.js";
import type { Io, Platform, Processes } from "../host/index.js";
import type { LockTiming } from "../locks/index.js";
import type { Cancellation } from "../ports/index.js";

export interface NodeFilesOptions {
  readonly roots: readonly string[];
  /** The state folder (see `stateFolder`): locks and plans of batches live there. */
  readonly state: string;
  /** Where relative paths start; the first root if not given. */
  readonly base?: string;
  /** False: a path is its own permission; the roots then only say whose content may be kept. */
  readonly confine?: boolean;
  readonly deny?: readonly string[];
  /** The files are written by another program's tools: the patterns that bind our own do not bind those. */
  readonly foreign?: boolean;
  readonly secrets?: readonly string[];
  readonly limits?: Partial<Limits>;
  /** For files that are not UTF-8; detected if not given. */
  readonly encoding?: string;
  /** Globs from a root: only what they match may be touched, found and told of. */
  readonly scope?: readonly string[];
  /** False: search without ripgrep even if it is there. The results are the same. */
  readonly ripgrep?: boolean;
  /** For a process that ends soon, like a hook: its locks need no refreshing, and dead ones are left to others. */
  readonly brief?: boolean;
  /** Ends the work of the process: after it no file is read or locked. A change that has begun is finished (`settled`). */
  readonly signal?: Cancellation;
  /** For disks whose dates or refreshes arrive late. */
  readonly timing?: Partial<LockTiming>;
  /** Takes a line that a person should see. */
  readonly report?: (line: string) => void;
  readonly io?: Io;
  readonly platform?: Platform;
  readonly processes?: Processes;
  readonly clock?: () => number;
}
