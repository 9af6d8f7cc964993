/** Goes through the session files of this machine, newest first. */
import { adapters } from "../guard/index.js";
import type { Cancellation } from "../ports/index.js";
import type { FoundFile } from "./clients/reader.js";
import { type Audit, Tally } from "./report.js";
import { SessionAudit } from "./session-audit.js";
import { findSessions } from "./sessions/find-sessions.js";
import type { Call, Progress, SessionFile } from "./sessions/steps.js";

export interface AuditRequest {
  /** Files and folders; none: the clients' own. */
  readonly paths: readonly string[];
  readonly client?: string | undefined;
  /** Older calls do not count, in milliseconds since 1970. */
  readonly since?: number | undefined;
  /** The beginning of the id of a case that is to be shown whole. */
  readonly show?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly signal?: Cancellation | undefined;
  readonly onProgress?: ((done: number, all: number) => void) | undefined;
}

/** Nothing is written, started or sent. */
export async function audit(request: AuditRequest): Promise<Audit> {
  const { since = 0, onProgress, signal } = request;
  const { files, unreadable } = findSessions(request);
  const wanted = files.filter(({ changed }) => changed >= since);
  const all = wanted.reduce((sum, { size }) => sum + size, 0);
  const tally = new Tally(request.show ?? null);
  const read = { files: wanted.length, bytes: 0, damagedLines: 0, unreadableFiles: [...unreadable] };
  const progress: Progress = {
    read(bytes) {
      read.bytes += bytes;
      onProgress?.(read.bytes, all);
    },
    damaged() {
      read.damagedLines += 1;
    },
  };
  const seen = new Set<string>();
  for (const file of wanted) {
    const isNew = newIn(file, seen);
    const adapter = adapters[file.client];
    if (!adapter) continue;
    const session = new SessionAudit(file, adapter, { tally, since, isNew });
    try {
      for (const step of file.steps(progress)) {
        if (signal?.aborted) throw aborted();
        await session.take(step);
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
      read.unreadableFiles.push(file.path);
    }
    await session.finish();
  }
  return { report: tally.report(), extent: tally.extent(read), details: tally.details };
}

/** A copy of a session has its calls with their names and times; some models name calls alike in every session. */
function newIn(
  { client }: Pick<SessionFile, "client"> & FoundFile,
  seen: Set<string>,
): (call: Call) => boolean {
  return ({ id, time, tool }) => {
    const key = `${client} ${id} ${tool} ${time}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  };
}

function aborted(): Error {
  return Object.assign(new Error("the audit was interrupted"), { name: "AbortError" });
}
