import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type BlamedLine, blame, loadWork } from "../../../authors/index.js";
import { findRepository, isMissing } from "../../../host/index.js";
import { PortError } from "../../../ports/index.js";
import { Document, visible } from "../../../text/index.js";
import type { Context, Run } from "../../context.js";
import { done } from "../../flag-types.js";
import { agentColour, agentNames, formatTime } from "../../print/log-rows.js";
import { answering, openWork, whoIs } from "./open-work.js";

export const run: Run = (context) => answering(context, () => showBlame(context));

async function showBlame(context: Context): Promise<number> {
  const { args, output, cwd } = context;
  const [path] = args.positionals as [string];
  const opened = await openWork(context, [path]);
  const works = await loadWork(opened, opened.paths);
  const work = works.find((one) => one.path === opened.paths[0]);
  const full = resolve(cwd, path);
  if (findRepository(full)?.root === full)
    throw new PortError("bad_request", `${path} is a folder: name a file`);
  const lines = work ? blame(work) : committedLines(full, path);
  if (lines === null && work) {
    output.err.line(
      `kedge: ${visible(path)} has no lines that can be told apart; it was changed by ${whoIs(work.author)}`,
    );
    if (args.has("json")) output.out.line("[]");
    return done;
  }
  const agents = (lines ?? []).flatMap(({ author }) => author?.authors ?? []);
  const nameOf = await agentNames(agents, opened.store, output.out);
  print(lines ?? [], nameOf, context);
  return done;
}

/** A file that is as HEAD has it. */
function committedLines(full: string, path: string): BlamedLine[] {
  try {
    const document = Document.parse(readFileSync(full));
    return document.lines().map((text, at) => ({ line: at + 1, text, author: null }));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (isMissing(error)) throw new PortError("not_found", `${path} does not exist`);
    throw new PortError("io", `cannot read ${path}: ${code === "EISDIR" ? "it is a folder" : code}`);
  }
}

function print(
  lines: readonly BlamedLine[],
  nameOf: (agent: string) => string,
  { args, output: { out } }: Context,
): void {
  if (args.has("json")) {
    const rows = lines.map(({ line, author }) => {
      const { authors = [], time = null, tool = null, edit = null } = author ?? {};
      const names = authors.length > 1 ? authors : (authors[0] ?? null);
      return { line, author: names, time, tool, edit };
    });
    out.line(JSON.stringify(rows));
    return;
  }
  const now = Date.now();
  const cells = lines.map(({ author, line, text }) => {
    const when = author?.time ? formatTime(author.time, now) : "";
    return [author ? whoIs(author, nameOf) : "", when, author?.tool ?? "", String(line), text] as const;
  });
  const width = (at: 0 | 1 | 2 | 3): number => Math.max(0, ...cells.map((row) => row[at].length));
  const widths = [width(0), width(1), width(2), width(3)] as const;
  for (const [who, when, tool, line, text] of cells) {
    const head = `${who.padEnd(widths[0])}  ${when.padEnd(widths[1])}  ${tool.padEnd(widths[2])}`;
    out.line(`${out.paint(agentColour(who) ?? "dim", head)}  ${line.padStart(widths[3])}|${text}`);
  }
}
