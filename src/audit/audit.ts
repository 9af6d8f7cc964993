/** Goes through the session files of this machine, newest first. */

import type { Cancellation } from "../ports/index.js";
import { throwIfAborted } from "../ports/index.js";
import { Counting } from "./counting.js";
import { playSession } from "./play/play-session.js";
import type { Audit } from "./report.js";
import { findSessions } from "./sessions/find-sessions.js";
import { playInThreads, threadsFor } from "./threads.js";

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
  /** The file of the program, which threads run as well; left out: there are none. */
  readonly program?: string | undefined;
  /** Left out: by the number of processors and the size of the sessions. */
  readonly threads?: number | undefined;
  readonly signal?: Cancellation | undefined;
  readonly onProgress?: ((done: number, all: number) => void) | undefined;
}

/** Nothing is written, started or sent. */
export async function audit(request: AuditRequest): Promise<Audit> {
  const { since = 0, show = null, program, signal } = request;
  const { files, unreadable } = findSessions(request);
  const sessions = files.filter(({ changed }) => changed >= since);
  const bytes = sessions.reduce((sum, { size }) => sum + size, 0);
  const { threads = threadsFor(sessions.length, bytes) } = request;
  const read = { files: sessions.length, bytes: 0, damagedLines: 0, unreadableFiles: [...unreadable] };
  const counting = new Counting(since, read);
  const progress = {
    read(count: number) {
      read.bytes += count;
      request.onProgress?.(read.bytes, bytes);
    },
    damaged() {
      read.damagedLines += 1;
    },
  };
  if (program !== undefined && threads > 0)
    await playInThreads(sessions, { program, threads, since, show, progress, signal, counting });
  else
    for (const session of sessions) {
      throwIfAborted(signal);
      const isNew = (key: string): boolean => !counting.hasCounted(key);
      counting.take(session, await playSession(session, { since, show, progress, isNew }));
    }
  return counting.audit();
}
