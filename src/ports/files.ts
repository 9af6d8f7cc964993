import type { Code } from "../edits/index.js";
import type { Codec } from "../text/index.js";

/** The rest of a name where case, and the form of accents, make no difference. */
export function foldedName(name: string): string {
  return name.normalize("NFC").toLowerCase();
}

/**
 * Something a port could not do, with the code that the caller is told.
 *
 * @example
 * const error = new PortError("not_found", "a.ts does not exist");
 * console.log(error.code, error.message); // → not_found a.ts does not exist
 */
export class PortError extends Error {
  override readonly name = "PortError";
  constructor(
    readonly code: Code,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** A path that its caller may not even hear of: neither the refusal nor its record names it. */
export class OutsideScope extends PortError {
  constructor(scope: readonly string[]) {
    super("outside_roots", `you may touch only ${scope.join(", ")}; a path of this call is outside`);
  }
}

/** A path, told apart from every other path of the same file. */
export interface FileId {
  /** One key for each file: after links, and without regard to case where the file system has none. */
  readonly key: string;
  /** The path as it was asked for; results name it like this. */
  readonly path: string;
  /** Whether its content may be kept: not for secret-looking or denied files, nor for what lies outside the roots. */
  readonly keep: boolean;
}

/** Identifies the content of a file that is too large to be read. */
export interface Measure {
  readonly size: number;
  readonly hash: string;
}

/** Bytes, or what tells them where they are too many to be held. */
export type Content = Uint8Array | Measure;

/**
 * The write of one file in a commit. Removed first and then made, in one commit, is a file that gets another
 * spelling of its name where names do not differ by case.
 */
export interface Write {
  readonly file: FileId;
  /** The bytes the decision was made on; null: the file did not exist. A file that differs is not written. */
  readonly before: Content | null;
  /** The new bytes; null: the file is deleted. Measured, they are those of `from`. */
  readonly after: Content | null;
  /** A file of the same commit that is moved here: what else it has than bytes comes along. */
  readonly from?: FileId;
  /** This many of the folders above a deleted file go with it, from the innermost on, as far as they are empty then. */
  readonly folders?: number;
}

/** An AbortSignal, as far as a call needs one. */
export interface Cancellation {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void): void;
}

/** Throws an AbortError, which no caller takes for an answer. */
export function throwIfAborted(signal: Cancellation | undefined): void {
  if (signal?.aborted) throw Object.assign(new Error("the call was cancelled"), { name: "AbortError" });
}

export interface SearchQuery {
  readonly pattern: string;
  readonly literal: boolean;
  readonly ignoreCase: boolean;
  /** A match begins and ends where a word does. */
  readonly word?: boolean;
  /** A folder or a file; the first root if not given. */
  readonly path?: string;
  readonly glob?: string;
  /** Files with hits, and hits in all, after which the search stops. */
  readonly maxResults: number;
  readonly signal?: Cancellation;
  readonly onProgress?: (filesSearched: number) => void;
}

export interface SearchHit {
  readonly path: string;
  /** Matching lines, 1-based, in order. */
  readonly lines: readonly number[];
}

export interface SearchResult {
  readonly hits: readonly SearchHit[];
  /** More lines match than were asked for. */
  readonly limited: boolean;
}

/** A commit that is about to begin: enough for another process to finish it, or to take it back. */
export interface Intent {
  /** The batch; the names of temporary files contain it. */
  readonly token: string;
  readonly files: readonly {
    /** The real path. */
    readonly path: string;
    /** The name of the temporary file beside it with the new content; null: the file is deleted. */
    readonly temporary: string | null;
  }[];
  /** A file is deleted or written in place: once that has begun, removing a temporary file does not hinder it. */
  readonly isBound?: boolean;
  /** The disk's plan of a batch, by which it can be taken back. */
  readonly plan?: object;
}

/** Stands between a commit and the disk, for a store whose locks can be lost while they are held. */
export interface Fence {
  /** Written down durably when it returns: before the first rename. */
  intent(intent: Intent): Promise<void>;
  /** Right before each rename. Throws if the files are not held any more: nothing is renamed then. */
  check(): void;
  /** The commit ended half way: the files are to stay held until somebody has put that right, by the intent. */
  abandon?(): void;
}

/** Files that are read and committed while their lock is held. */
export interface Held {
  /** The intent of a commit that replaces or makes the one held file; absent where several are held. */
  readonly intent?: Intent;
  /** The bytes now; null if there is no such file. */
  read(file: FileId): Promise<Uint8Array | null>;
  /** For a file that is `too_large` to be read; absent where none is. null if there is no such file. */
  measure?(file: FileId): Promise<Measure | null>;
  /** How many folders a commit would make for a file that is not there; absent where there are none. */
  missingFolders?(file: FileId): Promise<number>;
  /**
   * Writes all or nothing. False if a file was changed, by someone who does not lock, since the decision was made:
   * nothing is written then. A fence is asked before anything takes the place of a file.
   */
  commit(writes: readonly Write[], fence?: Fence): Promise<boolean>;
}

/** The file system behind a session. */
export interface Files {
  /** Confines the path and finds out which file it is; it need not exist. Throws `outside_roots`, `denied`, `io`. */
  identify(path: string): Promise<FileId>;
  /** Reads without a lock. null if there is no such file; throws `too_large`, `io`. */
  read(file: FileId): Promise<Uint8Array | null>;
  /**
   * Runs the body while no other process holds any of these files. Throws `busy` naming the holder. A signal ends the
   * wait for them, and the measuring of a large file; a commit that has begun is finished.
   */
  hold<T>(files: readonly FileId[], body: (held: Held) => Promise<T>, signal?: Cancellation): Promise<T>;
  search(query: SearchQuery): Promise<SearchResult>;
  /**
   * Bytes that were read or committed are never written to afterwards, neither here nor by others. Then the text of bytes
   * that are read once more, as the same object, need not be looked through again.
   */
  readonly isLasting?: boolean;
  /** The codec for bytes that are not UTF-8; `last` is the encoding the file was last shown in. */
  codec?(bytes: Uint8Array, last: string | null): Promise<Codec | null>;
}
