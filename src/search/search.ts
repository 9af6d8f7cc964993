import { isUtf8 } from "node:buffer";
import { type Disk, isBehind, type Limits, type Roots } from "../disk/index.js";
import { flags, glob, ifThere, readAll, withFile } from "../host/index.js";
import {
  asAsked,
  type Files,
  PortError,
  type SearchHit,
  type SearchQuery,
  type SearchResult,
  throwIfAborted,
} from "../ports/index.js";
import { Document } from "../text/index.js";
import { Ignores, walk } from "./ignores.js";
import { compile, type Pattern, withinTime } from "./pattern.js";
import { findRipgrep, narrow } from "./ripgrep.js";

export interface SearchContext {
  readonly disk: Disk;
  readonly roots: Roots;
  readonly limits: Limits;
  readonly codec: NonNullable<Files["codec"]>;
  /** The PATH to find ripgrep on; undefined: search without it. */
  readonly searchPath: string | undefined;
}

/** How much is matched between two looks at the clock and at the caller's signal. */
const sliceFiles = 64;
const sliceBytes = 1 << 20;
/** Milliseconds for a slice, and for each MiB of it: ten times more than an ordinary pattern takes. */
const sliceTime = 2000;
const timeForSize = 1000;

interface Candidate {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Read already, because its encoding had to be found out. */
  readonly document: Document | null;
}

export async function search(query: SearchQuery, context: SearchContext): Promise<SearchResult> {
  const run = new Run(query, context);
  const top = query.path === undefined ? context.roots.base : await context.roots.searched(query.path);
  if (top === null) return run.result();
  const real = query.path === undefined ? context.disk.io.realpath(top) : top;
  const stat = ifThere(() => context.disk.io.lstat(real));
  if (stat === null) throw new PortError("not_found", `${query.path ?? top} does not exist`);
  if (stat.isFile()) await run.add(real, query.path ?? real);
  else await folder(run, real);
  await run.flush();
  return run.result();
}

async function folder(run: Run, top: string): Promise<void> {
  const { context, query, pattern } = run;
  const { disk, roots, searchPath } = context;
  const { path } = disk.platform;
  const { ignores, aboveCounts } = await Ignores.of(disk.io, disk.platform, top);
  const isDenied = await roots.isDenied();
  const isWanted = wanted(query.glob);
  const named = await candidates();
  for (const real of named ?? walk(disk, top, ignores)) {
    // Slashes everywhere: Windows takes them too, and nobody has to escape them.
    const relative = path.relative(top, real).replaceAll(path.sep, "/");
    if (!isWanted(relative) || isDenied(real)) continue;
    if (named !== null && ignores.isSkipped(real)) continue;
    await run.add(real, asAsked(query.path, relative));
    if (run.isFull) return;
  }

  async function candidates(): Promise<string[] | null> {
    const program = findRipgrep(disk, searchPath, [top, ...roots.all]);
    if (program === null || ignores.isBraced) return null;
    const { ignoreCase, literal } = pattern;
    const found = await narrow(program, {
      folder: top,
      literal,
      ignoreCase,
      aboveCounts,
      signal: query.signal,
    });
    throwIfAborted(query.signal);
    return found?.map((name) => path.join(top, name)).sort() ?? null;
  }
}

function wanted(pattern: string | undefined): (path: string) => boolean {
  if (pattern === undefined || pattern === "") return () => true;
  const { matches } = glob(pattern.replace(/^!/, ""), false);
  return pattern.startsWith("!") ? (path) => !matches(path) : matches;
}

/** A pattern that takes too long stops the whole process, so it is ended before the time for searches is over. */
function runsWild(path: string): PortError {
  return new PortError(
    "too_large",
    `the pattern takes too long on ${path}: make it simpler, above all a repetition in a repetition, like (a+)+`,
  );
}

/** One search on its way. */
class Run {
  readonly pattern: Pattern;
  private readonly hits: SearchHit[] = [];
  private readonly deadline: number;
  private slice: Candidate[] = [];
  private bytes = 0;
  private searched = 0;
  private left: number;
  private limited = false;

  constructor(
    readonly query: SearchQuery,
    readonly context: SearchContext,
  ) {
    this.pattern = compile(query);
    this.left = query.maxResults;
    this.deadline = performance.now() + context.limits.time;
  }

  get isFull(): boolean {
    return this.limited;
  }

  async add(real: string, name: string): Promise<void> {
    this.searched += 1;
    const bytes = this.read(real);
    if (bytes !== null && this.pattern.isPossibleIn(bytes)) {
      const document = isUtf8(bytes) ? null : await this.parse(bytes);
      if (!(document ? document.isBinary : bytes.includes(0))) this.slice.push({ name, bytes, document });
      this.bytes += bytes.length;
    }
    if (this.slice.length >= sliceFiles || this.bytes >= sliceBytes || this.searched % 512 === 0)
      await this.flush();
  }

  async flush(): Promise<void> {
    const { slice, bytes: size } = this;
    this.slice = [];
    this.bytes = 0;
    const remaining = this.deadline - performance.now();
    const allowed = sliceTime + (timeForSize * size) / sliceBytes;
    let current = "";
    const work = (): readonly number[][] =>
      slice.map((candidate) => {
        current = candidate.name;
        return this.lines(candidate);
      });
    const found = await withinTime(Math.min(remaining, allowed), work);
    if (found === null) throw remaining < allowed ? this.late() : runsWild(current);
    for (const [index, lines] of found.entries()) this.keep(slice[index]?.name ?? "", lines);
    this.query.onProgress?.(this.searched);
    // Gives the event loop a turn: without it no signal would arrive.
    await new Promise((resolve) => setImmediate(resolve));
    throwIfAborted(this.query.signal);
  }

  private late(): PortError {
    const { time } = this.context.limits;
    return new PortError(
      "too_large",
      `the search took longer than ${time} ms (limits.time): give a path, a glob or a simpler pattern`,
    );
  }

  result(): SearchResult {
    return { hits: this.hits, limited: this.limited };
  }

  private lines({ bytes, document }: Candidate): number[] {
    if (document) return this.pattern.lines(document);
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
    // No line begins with a byte order mark.
    return this.pattern.isPossibleInText(text.replace(/^\ufeff/, ""))
      ? this.pattern.lines(Document.parse(bytes))
      : [];
  }

  private keep(path: string, lines: readonly number[]): void {
    if (lines.length === 0) return;
    if (lines.length > this.left) this.limited = true;
    if (this.left > 0) this.hits.push({ path, lines: lines.slice(0, this.left) });
    this.left = Math.max(0, this.left - lines.length);
  }

  /** null for what cannot be read or is too large: a search says what it found, not what it could not open. */
  private read(real: string): Uint8Array | null {
    const { disk, limits } = this.context;
    const { io } = disk;
    try {
      const fd = io.open(real, flags.read);
      return withFile(io, fd, () =>
        io.fstat(fd).isFile() && isBehind(disk, fd, real) ? readAll(io, fd, limits.size) : null,
      );
    } catch {
      return null;
    }
  }

  private async parse(bytes: Uint8Array): Promise<Document> {
    const document = Document.parse(bytes);
    if (document.encoding !== "latin1" || document.isBinary) return document;
    const codec = await this.context.codec(bytes, null);
    return codec ? Document.parse(bytes, { fallback: codec }) : document;
  }
}
