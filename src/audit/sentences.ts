/** The report in words: a few sentences, then rows that each have what the number is out of. */
import { failureKinds, failureReasons } from "./failures.js";
import type { Audit } from "./report.js";

export function sentences({ report, extent }: Audit): string[] {
  const { edits, failed, agents, recovery, kedge, undecided } = report;
  if (extent.calls === 0) return ["No calls of agents were found."];
  const said = [`${span(extent)}${many(agents, "agent")} made ${many(edits, "edit")}.`];
  if (failed.total > 0) {
    const blanks = failed.blanks > 0 ? `, ${number(failed.blanks)} of them only because of blanks` : "";
    said.push(
      `${number(failed.total)} failed${blanks}; that cost ${many(recovery.calls, "further call")} and ${number(recovery.characters)} characters.`,
    );
  } else if (edits > 0) said.push("None failed.");
  if (report.lostByCommands > 0)
    said.push(`${many(report.lostByCommands, "command")} took work of agents away.`);
  if (edits === 0) return said;
  said.push(
    `Kedge would have healed ${number(kedge.healed)}, refused ${number(kedge.refusedRightly)} that overwrote text nobody had read or that somebody else had changed, and stood in the way of ${number(kedge.inTheWay)} good ${kedge.inTheWay === 1 ? "one" : "ones"}.`,
  );
  if (undecided > 0) said.push(`Of ${number(undecided)} it cannot be told.`);
  return said;
}

function span({ from, to }: Audit["extent"]): string {
  if (from === null || to === null) return "";
  const days = Math.max(1, Math.ceil((to - from) / 86_400_000));
  return `In ${many(days, "day")} `;
}

export interface ReportRow {
  readonly what: string;
  readonly count: number;
  readonly of: number;
  /** The plural noun of `of`. */
  readonly noun: string;
  readonly kind: "failed" | "other" | "good" | "bad";
}

export function reportRows({ report, extent }: Audit): ReportRow[] {
  const { failed, kedge, edits } = report;
  const decided = edits - report.undecided;
  const ofEdits = { of: edits, noun: "edits" };
  const ofReplayed = { of: decided, noun: "edits replayed" };
  const row = (
    kind: ReportRow["kind"],
    what: string,
    count: number,
    of: Pick<ReportRow, "of" | "noun">,
  ): ReportRow => ({
    ...{ kind, what, count },
    ...of,
  });
  return [
    row("failed", "edits that failed", failed.total, ofEdits),
    ...failureKinds.map((kind) =>
      row("failed", `  ${failureReasons[kind]}`, failed[kind], { of: failed.total, noun: "failed" }),
    ),
    row("other", "changes by the shell", report.shellChanges, { of: extent.commands, noun: "commands" }),
    row("other", "commands that took work away", report.lostByCommands, {
      of: extent.commands,
      noun: "commands",
    }),
    row("other", "reads of what was in context", report.repeatedReads, { of: extent.reads, noun: "reads" }),
    row("good", "kedge: edits it would have healed", kedge.healed, ofReplayed),
    row("good", "kedge: harm it would have refused", kedge.refusedRightly, ofReplayed),
    row("good", "kedge: told before a call that failed or did harm", kedge.toldEarly, ofReplayed),
    row("bad", "kedge: good calls it would have refused", kedge.inTheWay, ofReplayed),
    row("bad", "  of these, writes over a whole file", extent.overwritesInTheWay, {
      of: extent.overwrites,
      noun: "overwrites",
    }),
    row("other", "edits that cannot be replayed", report.undecided, ofEdits),
  ];
}

/** Kinds of cases that are worth a look, with most weight first. */
export const lookedAt = [
  "kedge.inTheWay",
  "kedge.refusedRightly",
  "lostByCommands",
  "kedge.healed",
  "kedge.toldEarly",
  "failed.stale",
  "failed.notFound",
] as const;

export const number = (value: number): string => value.toLocaleString("en");

export const many = (count: number, noun: string): string =>
  `${number(count)} ${noun}${count === 1 ? "" : "s"}`;

export function share(count: number, of: number): string {
  if (of === 0) return "";
  const percent = (100 * count) / of;
  return `${percent === 0 || percent >= 10 ? Math.round(percent) : percent.toFixed(percent < 1 ? 2 : 1)} %`;
}
