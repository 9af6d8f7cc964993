import { schemes } from "../anchors/index.js";
import { editsAgain } from "../answers/index.js";
import { decidingCode, type Edit, editsFromJson, type Problem, problem } from "../edits/index.js";
import type { CallEnv, Env } from "../ledger/index.js";
import { type FileId, foldedName, type Json, OutsideScope, PortError } from "../ports/index.js";
import { digest } from "../text/index.js";
import { contradictions, type Entry, entryOf, joined } from "./judge.js";
import { type Retry, takeRetry } from "./retry-handles.js";

export interface FileRequest {
  readonly path: string;
  readonly edits: readonly Edit[];
}

/** A call on one or several files, all or nothing. */
export interface Call {
  readonly tool: string;
  readonly entries: readonly Entry[];
  /** As they came, for the retry handle. */
  readonly given: Retry["entries"];
  readonly single: boolean;
  readonly dryRun: boolean;
  /** The request that was refused, in a retry. */
  readonly request?: string;
}

interface CallOptions {
  readonly single: boolean;
  readonly dryRun: boolean;
}

export function callOf(tool: string, files: readonly FileRequest[], options: CallOptions): Call {
  const isNamed = (file: unknown) => typeof (file as FileRequest | null)?.path === "string";
  const entries = files.filter(isNamed).map(({ path, edits }) => entryOf(path, edits));
  const unnamed = files.flatMap((file, at) => (isNamed(file) ? [] : [`files[${at}] has no path`]));
  if (unnamed.length > 0) {
    const example = 'each file is like {"path":"a.ts","edits":[…]}; path is a string';
    throw new PortError("bad_request", [...unnamed, example, ...shapesOf(entries)].join("; "));
  }
  return {
    tool,
    entries,
    given: files.map(({ path, edits }) => ({ path, edits: edits as unknown as Json })),
    ...options,
  };
}

/** The problems of a call that gets no further, because a part of it could not be read. */
function shapesOf(entries: readonly Entry[]): string[] {
  return entries.flatMap(({ path, problems }) => problems.map(({ message }) => `${path}: ${message}`));
}

/** Two requests in one, of which one would be ignored; null if it is one. */
export function conflictIn(request: object): string | null {
  const { path, ...rest } = request as Readonly<Record<string, unknown>>;
  const [one, other] = ["retry", "edits", "files"].filter((name) => rest[name] !== undefined);
  if (rest.files !== undefined && (path ?? rest.edits) !== undefined)
    return "send path with edits, or files, not both";
  return other === undefined ? null : `send ${one} or ${other}, not both`;
}

/** Looks up the call of a retry handle and uses the handle up, unless this is a dry run. */
export async function retryOf(
  handle: unknown,
  options: CallOptions & { path?: string },
  env: CallEnv,
): Promise<Call> {
  const { path, ...rest } = options;
  const found = typeof handle === "string" ? await takeRetry(env, handle, rest.dryRun) : null;
  if (!found)
    throw new PortError(
      "bad_request",
      env.within === undefined
        ? `there is no call to retry under ${JSON.stringify(handle)}: a handle is good once; ${editsAgain}`
        : `nothing is recorded, so no refused call is kept: ${editsAgain}`,
    );
  const named = await Promise.all(found.entries.map((entry) => asNamed(entry, env)));
  const call = callOf(found.single ? "edit" : "multi_edit", named, { ...rest, single: found.single });
  const entries: Entry[] = [];
  const all = call.entries.map((one) => one.path).join(" and ");
  for (const entry of call.entries) {
    const { key } = await env.files.identify(entry.path);
    if (path !== undefined && (await env.files.identify(path)).key !== key)
      throw new PortError(
        "bad_request",
        `${handle} is a call on ${all}, not on ${path}${call.entries.length > 1 ? " alone" : ""}${rest.dryRun ? "" : `; it is used up now: ${editsAgain}`}`,
      );
    const kept = found.files.find((file) => file.key === key);
    entries.push(kept ? { ...entry, forced: kept } : entry);
  }
  return { ...call, request: found.request, entries };
}

/** The file by its key where the path, sent from another folder, leads elsewhere. */
async function asNamed({ path, edits, key }: Retry["entries"][number], { files }: Env): Promise<FileRequest> {
  const isSame = key === undefined || (await files.identify(path)).key === key;
  return { path: isSame ? path : key, edits: editsFromJson(edits) };
}

/** One file of a call, found. */
export interface Target {
  readonly entry: Entry;
  readonly file: FileId;
  /** Where a move goes. */
  readonly to: FileId | null;
}

interface Found {
  readonly targets: readonly Target[];
  /** Key of a request, the same however it is spelt. The key is recorded, so it says nothing of the content. */
  readonly request: string;
}

/** Which files a call is about, each once. */
export async function find(call: Call, env: Env): Promise<Found> {
  const found = new Map<string, Target>();
  const failures: PortError[] = [];
  const identify = (path: string): Promise<FileId | null> =>
    env.files.identify(path).catch((error: unknown) => {
      if (!(error instanceof PortError)) throw error;
      failures.push(error);
      return null;
    });
  for (const entry of call.entries) {
    const file = await identify(entry.path);
    const move = entry.operations.find(({ op }) => op === "move_file");
    const to = move?.op === "move_file" ? await identify(move.to) : null;
    if (!file) continue;
    const before = found.get(file.key);
    found.set(
      file.key,
      before ? { ...before, entry: joined(before.entry, entry), to: before.to ?? to } : { entry, file, to },
    );
  }
  if (failures.length > 0) throw together(failures, call.entries);
  const targets = [...found.values()];
  const checked = targets.map((target) => {
    const problems = [
      ...contradictions(target.entry, call.single ? env.voice.door : null),
      ...clash(target, targets),
    ];
    return { ...target, entry: { ...target.entry, problems: [...target.entry.problems, ...problems] } };
  });
  return { targets: checked, request: call.request ?? requestKey(targets) };
}

/** One failure is itself; several, or one beside edits that could not be read, are told as one. */
function together(failures: readonly PortError[], entries: readonly Entry[]): PortError {
  // It says that some path of the call is outside, and not which.
  const outside = failures.find((error) => error instanceof OutsideScope);
  if (outside) return outside;
  const shapes = shapesOf(entries);
  const [first] = failures as readonly [PortError, ...PortError[]];
  if (failures.length + shapes.length === 1) return first;
  const codes = [...failures, ...entries.flatMap(({ problems }) => problems)].map(({ code }) => code);
  return new PortError(
    decidingCode(codes),
    [...shapes, ...failures.map(({ message }) => message)].join("; "),
    { cause: first },
  );
}

/** Two files of a batch must not end up in one place, but a file may get another spelling of its own name. */
function clash(target: Target, targets: readonly Target[]): Problem[] {
  const { to } = target;
  if (!to) return [];
  const others = targets.filter(
    (one) =>
      (one.file.key === to.key && !(one === target && isRespelled(target))) ||
      (one.to !== to && one.to?.key === to.key),
  );
  return others.length > 0 ? [problem("bad_request", [], `${to.path} is named twice in this batch`)] : [];
}

/** Whether a move only changes the case of a name, or the form of its accents, and the file system sees no difference. */
export function isRespelled({ file, to }: Pick<Target, "file" | "to">): boolean {
  if (to?.key !== file.key) return false;
  const [from = "", into = ""] = [file.path, to.path].map((path) => path.split(/[\\/]/).at(-1));
  return from !== into && foldedName(from) === foldedName(into);
}

function requestKey(targets: readonly Target[]): string {
  const plain = targets.map(({ entry: { edits, operations, content, problems }, file, to }) => ({
    file: file.key,
    to: to?.key,
    edits,
    operations,
    content,
    // Unreadable calls are told apart by what is wrong with them.
    wrong: problems.map(({ message }) => message),
  }));
  return digest(JSON.stringify(plain, meaning));
}

/** How an anchor was spelt, and what was written behind it, makes no other request. */
function meaning(this: unknown, key: string, value: unknown): unknown {
  const isEcho = key === "content" && typeof this === "object" && this !== null && "hash" in this;
  return key === "given" || key === "index" || isEcho ? undefined : value;
}
/** Requests and options as callers without types send them: what is not meant is refused, never taken for a default. */

/** Names the type of a field in words, and checks a value for it. Without a value it is absent, where it may be. */
type Check = readonly [what: string, fits: (value: unknown) => boolean, isNeeded?: boolean];
type Checks = Readonly<Record<string, Check>>;

const from = (least: number) => (value: unknown) => Number.isSafeInteger(value) && (value as number) >= least;
const isText = (value: unknown): value is string => typeof value === "string";
const text: Check = ["a string", isText];
const needed: Check = ["a string", isText, true];
const flag: Check = ["true or false", (value) => typeof value === "boolean"];
const oneOf = (...names: readonly string[]): Check => [
  `one of ${names.join(", ")}`,
  (value) => names.includes(value as string),
];
const object: Check = ["an object", (value) => typeof value === "object" && value !== null, true];

const requests: Readonly<Record<string, Checks>> = {
  read: {
    path: needed,
    offset: ["a line number from 1", from(1)],
    limit: ["a number of lines from 1", from(1)],
    delta: flag,
    anchors: oneOf(...Object.keys(schemes), "none"),
  },
  grep: {
    ...{ pattern: needed, path: text, glob: text, ignoreCase: flag, literal: flag, word: flag },
    context: ["a number of lines from 0", from(0)],
    maxResults: ["a number of lines from 1", from(1)],
    anchors: oneOf(...Object.keys(schemes)),
  },
  edit: { path: needed, dryRun: flag },
  multiEdit: { dryRun: flag },
  plan: { path: text, dryRun: flag },
  write: {
    path: needed,
    content: ["a string, or a list of lines", (value) => isText(value) || isTexts(value), true],
    dryRun: flag,
  },
  undo: {
    ...{ path: text, id: text, batch: text, anyone: flag, dryRun: flag },
    last: ["how many edits to take back, from 1", from(1)],
  },
  restore: { ids: ["a list of ids", isTexts], all: flag },
};

const options: Checks = {
  ...{ files: object, store: object, agent: needed, keepOnFold: flag },
  clock: ["a function", (value) => typeof value === "function", true],
  gate: oneOf("lines", "file", "off"),
  onStale: oneOf("relocate", "refuse"),
  anchors: oneOf(...Object.keys(schemes)),
  relocateWithin: ["a number of lines from 0", from(0)],
};

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}

export function checkRequest(call: string, request: unknown): void {
  if (!object[1](request))
    throw new PortError("bad_request", `${call} takes an object; got ${shownValue(request)}`);
  const found = complaints(request as object, requests[call] ?? {});
  if (found.length > 0) throw new PortError("bad_request", found.join("; "));
}

export function checkOptions(given: object): void {
  const [first] = complaints(given, options);
  if (first !== undefined) throw new TypeError(first);
}

function complaints(given: object, checks: Checks): string[] {
  return Object.entries(checks).flatMap(([name, [what, fits, isNeeded = false]]) => {
    const value: unknown = Reflect.get(given, name);
    if (value === undefined) return isNeeded ? [`${name} is missing; it is ${what}`] : [];
    return fits(value) ? [] : [`${name} is ${what}; got ${shownValue(value)}`];
  });
}

function shownValue(value: unknown): string {
  if (isText(value)) return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  if (Array.isArray(value)) return "a list";
  const isPlain = value === null || (typeof value !== "object" && typeof value !== "function");
  return isPlain ? String(value) : typeof value === "object" ? "an object" : "a function";
}
