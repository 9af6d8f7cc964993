import {
  absurdPath,
  deniedByDefault,
  errorCode,
  failure,
  type Io,
  ifThere,
  isMissing,
  type Matcher,
  matcher,
  type Platform,
  type Stat,
  secretByDefault,
} from "../host/index.js";
import { type FileId, foldedName, OutsideScope, PortError } from "../ports/index.js";
import { Scope } from "./scope.js";

interface RootOptions {
  readonly io: Io;
  readonly platform: Platform;
  readonly roots: readonly string[];
  /** Where relative paths start; the first root if not given. */
  readonly base?: string;
  /** False: a path is its own permission (the command line); the roots then only say whose content may be kept. */
  readonly confine: boolean;
  readonly deny: readonly string[];
  /** True: the tools are another program's, and only the person's own patterns forbid them anything. */
  readonly foreign: boolean;
  readonly secrets: readonly string[];
  /** Globs of what alone may be touched and told of. */
  readonly scope?: readonly string[];
  /** The state folder: whoever could edit that could forge what was shown. */
  readonly state: string;
}

/** A path that was asked for, and where it leads. */
export interface Place extends FileId {
  /** The path after all links: the only one that is opened or written. */
  readonly real: string;
  /** No link was on the way: then whoever opens it sees for itself whether that is still so. */
  readonly direct: boolean;
}

interface Patterns {
  readonly denied: Matcher;
  readonly secret: Matcher;
}

const mostLinks = 40;
const mostPlaces = 2000;

/** Decides which files may be touched, and which file a path means. Content is never read here. */
export class Roots {
  private matchers: Patterns | undefined;
  private readonly places = new Map<string, { readonly asked: string; readonly place: Place }>();
  private readonly folders = new Map<string, { real: string; key: string }>();
  private readonly caseByFolder = new Map<string, boolean>();
  private readonly caseByDevice = new Map<bigint, boolean>();

  private readonly scope: Scope | null;

  constructor(private readonly options: RootOptions) {
    this.scope = options.scope ? new Scope(options.scope) : null;
    if (options.roots.length === 0) throw new PortError("bad_request", "at least one root is needed");
  }

  get base(): string {
    const { platform, base, roots } = this.options;
    return platform.path.resolve(base ?? (roots[0] as string));
  }

  get all(): readonly string[] {
    return this.options.roots;
  }

  /** Throws `bad_request`, `outside_roots`, `denied` or `io`. */
  async locate(path: string): Promise<Place> {
    const known = this.places.get(path);
    // Where the links lead is looked up every time; what follows from that is always the same.
    if (known && this.follow(known.asked, path) === known.place.real) return known.place;
    const { platform } = this.options;
    const absurd = absurdPath(platform, path);
    if (absurd) throw new PortError("bad_request", `${JSON.stringify(path)?.slice(0, 200)}: ${absurd}`);
    const asked = platform.path.resolve(this.base, path);
    const place = this.admit(path, asked, this.patterns());
    if (this.places.size >= mostPlaces) this.places.clear();
    this.places.set(path, { asked, place });
    return place;
  }

  /** Returns the target of the last time it was located, without a look at the disk. */
  last(path: string): Place | undefined {
    return this.places.get(path)?.place;
  }

  private admit(path: string, asked: string, { denied, secret }: Patterns): Place {
    this.checkScope(asked);
    const real = this.follow(asked, path);
    this.checkScope(real);
    const key = this.keyOf(real);
    const root = this.rootOf(key);
    if (this.isInside(key, this.options.state)) {
      throw new PortError("denied", `${path} is in the state folder of kedge`);
    }
    if (root === null && this.options.confine) {
      throw new PortError("outside_roots", `${path} is outside the roots: ${this.options.roots.join(", ")}`);
    }
    // Both ways: a link may hide a denied file, and a denied name may lead to a file that looks harmless.
    const names = [this.inRoot(real, root), this.inRoot(asked, root)];
    const rule = names.map(denied).find((pattern) => pattern !== null);
    if (rule) throw new PortError("denied", `${path} matches the deny pattern ${rule}`);
    const keep = root !== null && names.every((name) => secret(name) === null);
    return { path, real, key, keep, direct: real === asked };
  }

  /** Whether a file found below a located folder may be looked at. Its path is real: searches follow no links. */
  async isDenied(): Promise<(real: string) => boolean> {
    const { denied } = this.patterns();
    return (real) =>
      denied(this.inRoot(real, this.rootOf(this.keyOf(real)))) !== null || !this.isInScope(real);
  }

  /**
   * Where a search begins. With a scope also in a folder above it, and then null for whatever else is there or is not:
   * the answer is the same.
   */
  async searched(path: string): Promise<string | null> {
    const asked = this.options.platform.path.resolve(this.base, path);
    if (this.isInScope(asked) || !this.isAboveScope(asked)) return (await this.locate(path)).real;
    try {
      const real = this.follow(asked, path);
      return this.isAboveScope(real) && this.statIfAllowed(real)?.isDirectory() ? real : null;
    } catch {
      return null;
    }
  }

  private checkScope(path: string): void {
    const { scope } = this;
    if (scope && !this.isInScope(path)) throw new OutsideScope(scope.patterns);
  }

  private isInScope(path: string): boolean {
    const { scope } = this;
    return !scope || this.placesInRoots(path).some((place) => scope.has(place));
  }

  private isAboveScope(path: string): boolean {
    const { scope } = this;
    return !scope || this.placesInRoots(path).some((place) => scope.isAbove(place));
  }

  /** The path from each root that it is in, by the root's name and by where that leads. */
  private placesInRoots(path: string): string[] {
    const { platform, roots } = this.options;
    const tops = roots.flatMap((root) => [platform.path.resolve(root), this.known(root).real]);
    return [...new Set(tops)].flatMap((top) => {
      const place = this.inRoot(path, top);
      return platform.path.isAbsolute(place) ? [] : [place];
    });
  }

  private patterns(): Patterns {
    const { deny, secrets, foreign } = this.options;
    // A file that is let through in spite of its pattern is still not kept.
    this.matchers ??= {
      denied: matcher(foreign ? [] : deniedByDefault, deny),
      secret: matcher(foreign ? [...deniedByDefault, ...secretByDefault] : secretByDefault, secrets),
    };
    return this.matchers;
  }

  /** The real path, also of a file that does not exist yet: that of the deepest folder that does, and the rest. */
  private follow(asked: string, path: string): string {
    try {
      return this.resolveLinks(asked, mostLinks);
    } catch (error) {
      throw failure("find", path, error);
    }
  }

  private resolveLinks(absolute: string, linksLeft: number): string {
    const { io, platform } = this.options;
    const rest: string[] = [];
    for (let at = absolute; ; ) {
      const real = ifThere(() => io.realpath(at));
      if (real !== null) return rest.length === 0 ? real : platform.path.join(real, ...rest);
      const link = ifThere(() => io.lstat(at))?.isSymbolicLink() ? io.readlink(at) : null;
      const above = platform.path.dirname(at);
      if (link !== null) {
        // A link to what does not exist yet: writing through it makes its target.
        if (linksLeft === 0) throw Object.assign(new Error("too many links"), { code: "ELOOP" });
        const folder = this.resolveLinks(above, linksLeft - 1);
        const target = this.resolveLinks(platform.path.resolve(folder, link), linksLeft - 1);
        return platform.path.join(target, ...rest);
      }
      if (above === at) return platform.path.join(at, ...rest);
      rest.unshift(platform.path.basename(at));
      at = above;
    }
  }

  private keyOf(real: string): string {
    const folder = this.options.platform.path.dirname(real);
    let ignores = this.caseByFolder.get(folder);
    if (ignores === undefined) {
      ignores = this.isCaseIgnored(real);
      this.caseByFolder.set(folder, ignores);
    }
    return ignores ? foldedName(real) : real;
  }

  private rootOf(key: string): string | null {
    const found = this.options.roots.find((root) => this.isInside(key, root));
    return found === undefined ? null : this.known(found).real;
  }

  private isInside(key: string, folder: string): boolean {
    const { sep } = this.options.platform.path;
    const { key: above } = this.known(folder);
    return key === above || key.startsWith(above.endsWith(sep) ? above : above + sep);
  }

  /** Followed once: a root that is a link must not be turned elsewhere later. */
  private known(folder: string): { real: string; key: string } {
    let known = this.folders.get(folder);
    if (known === undefined) {
      const real = this.follow(this.options.platform.path.resolve(folder), folder);
      known = { real, key: this.keyOf(real) };
      this.folders.set(folder, known);
    }
    return known;
  }

  /** The path from its root, with "/": what patterns are written for. Outside every root, the whole path. */
  private inRoot(path: string, root: string | null): string {
    const { platform } = this.options;
    const relative = root === null ? path : platform.path.relative(root, path);
    const above = relative.split(platform.path.sep)[0] === ".." || platform.path.isAbsolute(relative);
    return (above ? path : relative).replaceAll(platform.path.sep, "/");
  }

  /** Looked up on disk, once for each device: a folder's name in the other case that leads to the same folder tells. */
  private isCaseIgnored(real: string): boolean {
    const { platform } = this.options;
    if (platform.ignoresCase !== undefined) return platform.ignoresCase;
    const usual = platform.name === "darwin" || platform.name === "win32";
    let device: bigint | undefined;
    for (let at = real; ; at = platform.path.dirname(at)) {
      const stat = this.statIfAllowed(at);
      device ??= stat?.dev;
      const known = stat && this.caseByDevice.get(stat.dev);
      if (known !== null && known !== undefined) return known;
      const above = platform.path.dirname(at);
      // The name of a mount point belongs to the file system it is mounted in.
      const end = above === at || (stat !== null && stat.dev !== device);
      const found = end ? usual : stat?.isDirectory() ? this.probe(at, stat) : null;
      if (found === null) continue;
      if (device !== undefined) this.caseByDevice.set(device, found);
      return found;
    }
  }

  private probe(path: string, stat: Stat): boolean | null {
    const { platform } = this.options;
    const folder = platform.path.dirname(path);
    const name = platform.path.basename(path);
    const other = name === name.toLowerCase() ? name.toUpperCase() : name.toLowerCase();
    const usable = other !== name && stat.ino !== 0n && this.statIfAllowed(folder)?.dev === stat.dev;
    if (!usable) return null;
    const twin = this.statIfAllowed(platform.path.join(folder, other));
    return twin !== null && twin.ino === stat.ino && twin.dev === stat.dev;
  }

  private statIfAllowed(path: string): Stat | null {
    try {
      return this.options.io.lstat(path);
    } catch (error) {
      if (isMissing(error) || errorCode(error) === "EACCES" || errorCode(error) === "EPERM") return null;
      throw failure("find", path, error);
    }
  }
}
