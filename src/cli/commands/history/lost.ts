import { gitCommits } from "../../../git/index.js";
import type { LostEdit, LostRequest } from "../../../lost/index.js";
import { displayName, visible } from "../../../text/index.js";
import { boundsOf } from "../../../workspace/index.js";
import { type Args, UsageError } from "../../args.js";
import type { Context, Run } from "../../context.js";
import { done } from "../../flag-types.js";
import { type Opened, open } from "../../open-workspace.js";
import { agentColour, formatTime } from "../../print/log-rows.js";
import { type Column, type Stream, tableText } from "../../print/output.js";
import { paintDiff } from "../../print/result.js";
import { rangeList } from "../../print/shell-wording.js";

export const run: Run = async (context) => {
  const { args, output } = context;
  needsRecord(args);
  const opened = await open(context);
  const lost = await opened.session.lost({ ...lookingAt(context, opened), overwritten: args.has("all") });
  if (args.has("json")) {
    for (const edit of lost) output.out.line(JSON.stringify(edit));
    return done;
  }
  if (lost.length === 0) {
    output.out.line("[nothing is lost]");
    return done;
  }
  const now = Date.now();
  const rows = lost.map((edit) => rowOf(edit, now));
  for (const line of tableText(columns, rows, output.out)) output.out.line(line);
  if (output.out.isTerminal) showDiffs(lost, output.out);
  const [first] = lost;
  output.err.line(
    `kedge: \`kedge restore ${first?.id}\` merges an edit back, \`kedge restore --all\` all of them`,
  );
  return done;
};

export function needsRecord(args: Args): void {
  const { name } = args.command;
  if (args.has("stateless"))
    throw new UsageError(`${name} needs the record, and --stateless keeps none`, "leave out --stateless");
}

/** As long as texts are kept, and with git, which is asked only if something looks lost. */
export function lookingAt({ cwd }: Context, { settings, workspace }: Opened): LostRequest {
  const { age } = boundsOf(settings);
  return {
    ...(age === undefined ? {} : { since: Date.now() - age }),
    commits: gitCommits({ base: cwd, root: workspace.root }),
  };
}

const columns: readonly Column[] = [
  { title: "id" },
  { title: "edited" },
  { title: "agent", shrinks: "end", colour: agentColour },
  { title: "where", shrinks: "start" },
  { title: "lost" },
  { title: "by", shrinks: "end", colour: agentColour },
  { title: "command", shrinks: "end", colour: () => "red" },
];

function rowOf(edit: LostEdit, now: number): string[] {
  const { lost } = edit;
  return [
    edit.id,
    formatTime(edit.time, now),
    displayName(edit.agent),
    whereOf(edit),
    lost ? formatTime(lost.time, now) : "noticed now",
    lost?.command ? displayName(lost.agent) : "unknown",
    lost?.command ?? "unknown",
  ];
}

const listedRanges = 3;

function whereOf({ path, lines, what, kept, stash, overwritten }: LostEdit): string {
  const note = `${overwritten ? ", overwritten" : ""}${stash ? `, in ${stash}` : ""}${kept ? "" : ", text not kept"}`;
  if (what !== "lines") return `${path} (${what}${note})`;
  const shown = rangeList(lines.slice(0, listedRanges));
  const more = lines.length > listedRanges ? ",…" : "";
  return `${path}:${shown}${more}${note === "" ? "" : ` (${note.slice(2)})`}`;
}

const shownEdits = 8;
const shownLines = 8;

/** The first lines of each, without what stands around them. */
function showDiffs(lost: readonly LostEdit[], out: Stream): void {
  for (const { id, path, diff } of lost.slice(0, shownEdits)) {
    const changes = diff.split("\n").filter((line) => /^[-+[](?!(--|\+\+) )/.test(line));
    if (changes.length === 0) continue;
    out.line("");
    out.line(out.paint("dim", `${id} ${visible(path)}`));
    out.line(paintDiff(changes.slice(0, shownLines).join("\n"), out));
    if (changes.length > shownLines)
      out.line(out.paint("dim", `[and ${changes.length - shownLines} more lines]`));
  }
  if (lost.length > shownEdits) out.line(out.paint("dim", `[and ${lost.length - shownEdits} more edits]`));
}
