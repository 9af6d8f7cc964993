/** The counts of an audit. Every number stands for cases that can be looked at. */
import { createHash } from "node:crypto";
import { type FailureKind, failureKinds } from "./failures.js";
import type { Call, SessionFile } from "./sessions/steps.js";

export type CaseKind =
  | `failed.${FailureKind}`
  | "recovery"
  | "shellChanges"
  | "repeatedReads"
  | "lostByCommands"
  | "undecided"
  | `kedge.${keyof Report["kedge"]}`;

export interface Case {
  readonly id: string;
  readonly kind: CaseKind;
  readonly client: string;
  readonly session: string;
  readonly agent: string;
  /** ISO; null: the session does not tell. */
  readonly time: string | null;
  /** The client's name for the call. */
  readonly call: string;
  readonly tool: string;
  readonly path: string | null;
  /** In a sentence, without any content. */
  readonly why: string;
}

/** The report that `--json` prints. */
export interface Report {
  readonly sessions: number;
  readonly agents: number;
  readonly edits: number;
  readonly failed: Readonly<Record<FailureKind | "total", number>>;
  readonly recovery: { readonly calls: number; readonly characters: number };
  readonly shellChanges: number;
  readonly repeatedReads: number;
  readonly lostByCommands: number;
  readonly undecided: number;
  readonly kedge: {
    readonly healed: number;
    readonly refusedRightly: number;
    readonly toldEarly: number;
    readonly inTheWay: number;
  };
  readonly cases: readonly Case[];
}

/** The numbers to compare with, and the sessions that could not be read. */
export interface Extent {
  readonly files: number;
  readonly bytes: number;
  /** The oldest and the newest call, in milliseconds; null: there is none. */
  readonly from: number | null;
  readonly to: number | null;
  readonly calls: number;
  readonly reads: number;
  readonly commands: number;
  /** Edits that write all of a file that was there. */
  readonly overwrites: number;
  readonly damagedLines: number;
  readonly unreadableFiles: readonly string[];
  /** Edits by day (YYYY-MM-DD), and how many of them failed. */
  readonly days: Readonly<Record<string, { edits: number; failed: number }>>;
  /** Edits by client, and how many of them failed. */
  readonly clients: Readonly<Record<string, { edits: number; failed: number; sessions: number }>>;
  /** Overwrites that the guard would have refused though they went well. */
  readonly overwritesInTheWay: number;
}

export interface Audit {
  readonly report: Report;
  readonly extent: Extent;
  /** With `show`: the cases that were asked for, with all that is known of them. */
  readonly details: readonly Detail[];
}

export interface Detail {
  readonly case: Case;
  /** The request of a call, and its outcome. */
  readonly input: string;
  readonly result: string;
  /** The guard's sentence. */
  readonly guard: string | null;
  /** The file before the call, if that is certain. */
  readonly text: string | null;
}

/** A call with everything that an audit counts of it. */
export interface PlayedCall extends Pick<Call, "id" | "time" | "tool" | "agent"> {
  /** null: it edits nothing. */
  readonly edit: { readonly failure: FailureKind | null; readonly paths: readonly string[] } | null;
  readonly isRead: boolean;
  readonly isCommand: boolean;
  /** It writes all of a file that was there. */
  readonly isOverwrite: boolean;
  /** Files that an edit of this agent had failed at before, and that this call is about. */
  readonly about: readonly string[];
  /** Characters of the call and its result, if it is about any, or failed. */
  readonly size: number;
  readonly cases: readonly PlayedCase[];
  /** The case that it is if an edit is being recovered from. */
  readonly recovery: PlayedCase | null;
}

export interface PlayedCase {
  readonly kind: CaseKind;
  readonly path: string | null;
  readonly why: string;
  /** If somebody wants to see it. */
  readonly detail?: Omit<Detail, "case">;
}

export interface PlayedSession {
  readonly calls: readonly PlayedCall[];
  /** Why not all of it was read, or none of it could be played. */
  readonly failure: string | null;
}

/** The same call in the same session has the same cases in every run. */
export function caseId(one: Pick<Case, "client" | "session" | "call" | "kind" | "path">): string {
  const { client, session, call, kind, path } = one;
  const name = [client, session, call, kind, path ?? ""].join("\0");
  return createHash("sha256").update(name).digest("hex").slice(0, 10);
}

/** Counts, and keeps the cases: a number that has cases is how many there are. */
export class Tally {
  readonly cases: Case[] = [];
  readonly details: Detail[] = [];
  private readonly counts = {
    ...{ edits: 0, shellChanges: 0, repeatedReads: 0, lostByCommands: 0, undecided: 0 },
    ...{ calls: 0, reads: 0, commands: 0, overwrites: 0, overwritesInTheWay: 0 },
  };
  readonly failed = Object.fromEntries(["total", ...failureKinds].map((kind) => [kind, 0])) as Record<
    FailureKind | "total",
    number
  >;
  readonly kedge = { healed: 0, refusedRightly: 0, toldEarly: 0, inTheWay: 0 };
  readonly recovery = { calls: 0, characters: 0 };
  readonly agents = new Set<string>();
  readonly days: Record<string, { edits: number; failed: number }> = {};
  readonly clients: Record<string, { edits: number; failed: number; sessions: number }> = {};
  private readonly sessions = new Set<string>();
  private first = Number.POSITIVE_INFINITY;
  private last = 0;

  /** Counts a call of a session. */
  add(
    { client, session }: Pick<SessionFile, "client" | "session">,
    call: PlayedCall,
    isRecovery: boolean,
  ): void {
    const { agent, id, tool, time, edit, isRead, isCommand, isOverwrite } = call;
    const { counts } = this;
    this.called(client, session, agent, time);
    if (edit) this.edited(client, time, edit.failure);
    if (isRead) counts.reads += 1;
    if (isCommand) counts.commands += 1;
    if (isOverwrite) counts.overwrites += 1;
    const cases = isRecovery && call.recovery ? [...call.cases, call.recovery] : call.cases;
    for (const { kind, path, why, detail } of cases) {
      this.count(kind);
      if (kind === "kedge.inTheWay" && isOverwrite) counts.overwritesInTheWay += 1;
      const named = { kind, client, session, agent, time: isoOf(time), call: id, tool, path, why };
      const one = { id: caseId(named), ...named };
      this.cases.push(one);
      if (detail) this.details.push({ case: one, ...detail });
    }
  }

  private count(kind: CaseKind): void {
    const [group = "", name = ""] = kind.split(".");
    if (group === "failed") {
      this.failed.total += 1;
      this.failed[name as FailureKind] += 1;
    } else if (group === "recovery") this.recovery.calls += 1;
    else if (group === "kedge") this.kedge[name as keyof Report["kedge"]] += 1;
    else this.counts[group as "shellChanges" | "repeatedReads" | "lostByCommands" | "undecided"] += 1;
  }

  /** Counts a call of an agent, which may be the first of its conversation. */
  private called(client: string, session: string, agent: string, time: number): void {
    this.counts.calls += 1;
    this.agents.add(`${client}:${agent}`);
    const own = this.client(client);
    if (!this.sessions.has(`${client}:${session}`)) own.sessions += 1;
    this.sessions.add(`${client}:${session}`);
    if (time <= 0) return;
    this.first = Math.min(this.first, time);
    this.last = Math.max(this.last, time);
  }

  /** Counts an edit, and whether it failed. */
  private edited(client: string, time: number, kind: FailureKind | null): void {
    const failed = kind === null ? 0 : 1;
    const day = isoOf(time)?.slice(0, 10) ?? "unknown";
    const ofDay = this.days[day] ?? { edits: 0, failed: 0 };
    this.days[day] = ofDay;
    for (const one of [ofDay, this.client(client)]) {
      one.edits += 1;
      one.failed += failed;
    }
    this.counts.edits += 1;
  }

  report(): Report {
    const { edits, shellChanges, repeatedReads, lostByCommands, undecided } = this.counts;
    return {
      ...{ sessions: this.sessions.size, agents: this.agents.size, edits },
      ...{ failed: this.failed, recovery: this.recovery },
      ...{ shellChanges, repeatedReads, lostByCommands, undecided },
      ...{ kedge: this.kedge, cases: this.cases },
    };
  }

  extent(read: Pick<Extent, "files" | "bytes" | "damagedLines" | "unreadableFiles">): Extent {
    const { calls, reads, commands, overwrites, overwritesInTheWay } = this.counts;
    return {
      ...read,
      ...{ calls, reads, commands, overwrites, overwritesInTheWay },
      ...{ days: this.days, clients: this.clients },
      ...(this.last === 0 ? { from: null, to: null } : { from: this.first, to: this.last }),
    };
  }

  private client(name: string): { edits: number; failed: number; sessions: number } {
    const known = this.clients[name] ?? { edits: 0, failed: 0, sessions: 0 };
    this.clients[name] = known;
    return known;
  }
}

function isoOf(time: number): string | null {
  return time > 0 && time < 8.64e15 ? new Date(time).toISOString() : null;
}
