/** Sessions of opencode: a database, or in older builds a folder with a file for each session, message and part. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isRecord, number, type Payload, record, text } from "../../guard/index.js";
import { parsedLine } from "../sessions/lines.js";
import { type Row, type RowPlace, SqliteFile } from "../sessions/sqlite.js";
import {
  callOf,
  type Progress,
  type SessionFile,
  type Shown,
  type Step,
  type Surroundings,
  type Told,
} from "../sessions/steps.js";
import { adapterOf, type FoundFile, type SessionReader } from "./reader.js";
import { SentLines } from "./sent-lines.js";

const adapter = adapterOf("opencode");
const oldSession = /[\\/]storage[\\/]session[\\/](?:[^\\/]+[\\/])?ses_[^\\/]*\.json$/;

export const opencode: SessionReader = {
  client: "opencode",
  folders: ({ env, home }) => [join(env.XDG_DATA_HOME || join(home, ".local", "share"), "opencode")],
  isSession: (path, head) =>
    (path.endsWith(".db") && head.startsWith("SQLite format 3\0")) || oldSession.test(path),
  files: (file) => (file.path.endsWith(".db") ? sessionsIn(file) : [oldFile(file)]),
};

/** A part of a message, and who wrote it. */
interface Part {
  readonly role: string | undefined;
  readonly part: unknown;
}

interface Session {
  readonly id: string;
  readonly parent: string | null;
  readonly cwd: string;
}

interface Listed extends Session {
  readonly changed: number;
  readonly parts: (RowPlace & { readonly id: string })[];
  size: number;
}

function sessionsIn(file: FoundFile): SessionFile[] {
  const found = new Map<string, Listed>();
  const roles = new Map<string, string>();
  const base = (values: Row["values"], name: string): string => String(values[name] ?? "");
  try {
    using(file.path, (database) => {
      for (const { values } of database.rows("session"))
        found.set(base(values, "id"), {
          ...{ id: base(values, "id"), cwd: base(values, "directory") || "/", parts: [], size: 0 },
          parent: values.parent_id === null ? null : base(values, "parent_id"),
          changed: Number(values.time_updated) || file.changed,
        });
      for (const { values } of database.rows("message", false))
        roles.set(base(values, "id"), /"role":"(\w+)"/.exec(base(values, "data"))?.[1] ?? "");
      for (const { page, cell, values } of database.rows("part", false)) {
        const session = found.get(base(values, "session_id"));
        const head = base(values, "data").slice(0, 400);
        if (!session || /"type":"(?:step-start|step-finish|snapshot|patch|reasoning)"/.test(head)) continue;
        session.parts.push({ page, cell, id: base(values, "id") });
        session.size += base(values, "data").length;
      }
    });
  } catch {
    return [];
  }
  const parentOf = (id: string): string => found.get(id)?.parent ?? id;
  return [...found.values()].map((session) => ({
    ...{ client: "opencode", path: file.path, session: parentOf(session.id), name: session.id },
    ...{ size: session.size, changed: session.changed },
    *steps(progress: Progress) {
      const parts = session.parts.sort((one, two) => (one.id < two.id ? -1 : 1));
      yield* stepsOf(session, partsIn(file.path, parts, roles, progress));
    },
  }));
}

function using<T>(path: string, use: (database: SqliteFile) => T): T {
  const database = new SqliteFile(path);
  try {
    return use(database);
  } finally {
    database.close();
  }
}

function* partsIn(
  path: string,
  places: readonly RowPlace[],
  roles: ReadonlyMap<string, string>,
  progress: Progress,
): Generator<Part> {
  const database = new SqliteFile(path);
  try {
    for (const place of places) {
      const values = database.row("part", place)?.values;
      const data = values?.data;
      if (typeof data !== "string") {
        progress.damaged();
        continue;
      }
      progress.read(data.length);
      yield { role: roles.get(String(values?.message_id)), part: parsedLine(data, progress) };
    }
  } finally {
    database.close();
  }
}

/** The storage folder, in two forms that came one after the other. */
function oldFile(file: FoundFile): SessionFile {
  const id = basename(file.path, ".json");
  const storage = /^.*[\\/]storage(?=[\\/])/.exec(file.path)?.[0] ?? dirname(file.path);
  const info = jsonIn(file.path);
  const session = { id, parent: text(info, "parentID") ?? null, cwd: text(info, "directory") ?? "/" };
  return {
    ...{ ...file, client: "opencode", session: session.parent ?? id },
    *steps(progress) {
      yield* stepsOf(session, oldParts(storage, id, progress));
    },
  };
}

function* oldParts(storage: string, session: string, progress: Progress): Generator<Part> {
  const isOlder = existsSync(join(storage, "session", "message", session));
  const messages = isOlder ? join(storage, "session", "message", session) : join(storage, "message", session);
  for (const name of namesIn(messages)) {
    const message = basename(name, ".json");
    const folder = isOlder
      ? join(storage, "session", "part", session, message)
      : join(storage, "part", message);
    const role = text(jsonIn(join(messages, name)), "role");
    for (const part of namesIn(folder)) yield { role, part: jsonIn(join(folder, part), progress) };
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".json"))
      .sort();
  } catch {
    return [];
  }
}

const largestPart = 64 * 1024 * 1024;

function jsonIn(path: string, progress?: Progress): unknown {
  try {
    const { size } = statSync(path);
    if (size > largestPart) throw new Error("too large");
    progress?.read(size);
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    progress?.damaged();
    return null;
  }
}

/** Each line is a part with its role, as one message. */
function sentIn(lines: readonly string[]) {
  const messages = lines.map((line) => JSON.parse(line) as unknown);
  const recalled = adapter.recall?.({ sent: { messages }, keeps: true }, () => false);
  return typeof recalled === "object" ? recalled.sent : [];
}

function* stepsOf({ id: agent, parent, cwd }: Session, parts: Iterable<Part>): Generator<Step> {
  const sent = new SentLines(sentIn);
  const name = parent === null ? agent : `${parent}/${agent}`;
  for (const { role, part } of parts) {
    if (!isRecord(part)) continue;
    const state = record(part, "state");
    const time = number(record(state, "time"), "start") ?? number(record(part, "time"), "start") ?? 0;
    if (part.type === "compaction") {
      yield { kind: "fold", agent: name, time };
      sent.fold();
    }
    if (part.type === "tool" && (state.status === "completed" || state.status === "error"))
      yield callOf(adapter, toldOf(part, { agent: name, cwd, time, recall: sent.now() }));
    sent.add(JSON.stringify({ info: { role }, parts: [part] }));
  }
}

function toldOf(part: Payload, around: Surroundings): Told {
  const state = record(part, "state");
  const [tool, id] = [text(part, "tool") ?? "", text(part, "callID") ?? ""];
  const input = record(state, "input");
  const error = text(state, "error");
  const result = text(state, "output") ?? error ?? "";
  const call = { tool, sessionID: around.agent, callID: id, args: input };
  const metadata = record(state, "metadata");
  const isFailed = state.status === "error";
  return {
    ...around,
    ...{ id, tool, input },
    failure: isFailed ? result || "it failed" : null,
    command: tool === "bash" ? (text(input, "command") ?? "") : null,
    known: metadata.exists === false ? null : undefined,
    before: { k: "before", directory: around.cwd, i: call, o: { args: input } },
    outcome: {
      result,
      shown: tool === "read" && !isFailed ? shownBy(input, result) : null,
      after: isFailed
        ? []
        : [{ k: "after", directory: around.cwd, i: call, o: { output: result, metadata } }],
    },
  };
}

const numbered = /^\d+: /;

function shownBy(input: Payload, result: string): Shown | null {
  const path = text(input, "filePath");
  const content = /<content>\n([\s\S]*?)\n?<\/content>/.exec(result)?.[1];
  if (path === undefined || content === undefined) return null;
  const rows = content.split("\n").filter((line) => numbered.test(line));
  const isWhole = /\(End of file - total \d+ lines\)/.test(content) && (number(input, "offset") ?? 1) <= 1;
  const whole = rows.map((line) => `${line.replace(numbered, "").replace(/\r$/, "")}\n`).join("");
  return { path, body: rows.join("\n"), whole: isWhole ? whole : null };
}
