import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import {
  type Audit,
  audit,
  auditPage,
  type Case,
  type Detail,
  lookedAt,
  many,
  reportRows,
  sentences,
  share,
} from "../../../audit/index.js";
import { homeFolder } from "../../../host/index.js";
import { visible } from "../../../text/index.js";
import type { Run } from "../../context.js";
import { done, failed } from "../../flag-types.js";
import { InputError } from "../../input.js";
import { parseSince } from "../../print/log-rows.js";
import { type Column, type Output, type Stream, tableText, wrap } from "../../print/output.js";
import { progressBar } from "../../print/progress.js";

const usualAge = "30d";
const listedCases = 12;

export const run: Run = async (context) => {
  const { args, env, cwd, output, interrupt, program } = context;
  const { draw, clear } = progressBar(output.err);
  const paths = args.positionals.map((path) => resolve(cwd, path));
  const show = args.text("show");
  const since = args.text("since") ?? (paths.length > 0 ? undefined : usualAge);
  const megabytes = (bytes: number): number => Math.ceil(bytes / 1e6);
  try {
    const found = await audit({
      ...{ paths, show, env, client: args.text("client"), home: homeFolder(env) },
      ...{
        since: since === undefined ? undefined : parseSince(since, Date.now()),
        signal: interrupt,
        program,
      },
      onProgress: (at, all) => draw("MB read", megabytes(at), megabytes(all)),
    });
    clear();
    const page = args.text("html");
    if (page !== undefined) writePage(resolve(cwd, page), found);
    return print(found, { show, isJson: args.has("json"), output, isGiven: paths.length > 0 });
  } finally {
    clear();
  }
};

function writePage(path: string, found: Audit): void {
  try {
    writeFileSync(path, auditPage(found));
  } catch (error) {
    throw new InputError(`cannot write ${path}: ${(error as Error).message}`);
  }
}

interface Printing {
  readonly show: string | undefined;
  readonly isJson: boolean;
  readonly isGiven: boolean;
  readonly output: Output;
}

function print(found: Audit, { show, isJson, isGiven, output }: Printing): number {
  const { out, err } = output;
  const { unreadableFiles, damagedLines, files } = found.extent;
  for (const path of unreadableFiles) err.line(`kedge: cannot read ${visible(path)}`);
  if (damagedLines > 0)
    err.line(
      `kedge: ${many(damagedLines, "line")} could not be read and ${damagedLines === 1 ? "was" : "were"} left out`,
    );
  if (show !== undefined) return printDetails(found.details, { show, isJson, out });
  if (isJson) {
    out.line(JSON.stringify(found.report));
    return done;
  }
  if (files === 0) {
    out.line(isGiven ? "[no session files there]" : "[no session files of the last 30 days on this machine]");
    return isGiven && unreadableFiles.length > 0 ? failed : done;
  }
  for (const line of wrap(sentences(found).join(" "), Math.min(out.columns, 100))) out.line(line);
  out.line("");
  for (const line of tableText(columns, tableRows(found), out)) out.line(line);
  printCases(found.report.cases, out);
  return done;
}

const columns: readonly Column[] = [
  { title: "" },
  { title: "count", right: true },
  { title: "of", right: true },
  { title: "" },
  { title: "share", right: true },
];

function tableRows(found: Audit): string[][] {
  return reportRows(found).map(({ what, count, of, noun }) => [
    ...[what, count.toLocaleString("en"), of.toLocaleString("en"), noun, share(count, of)],
  ]);
}

const caseColumns: readonly Column[] = [
  { title: "id" },
  { title: "what" },
  { title: "when" },
  { title: "file", shrinks: "start" },
  { title: "why", shrinks: "end" },
];

/** Those of most weight; all of them are in the JSON. */
function printCases(cases: readonly Case[], out: Stream): void {
  const weighty = lookedAt.flatMap((kind) => cases.filter((one) => one.kind === kind));
  const shown = weighty.slice(0, listedCases);
  if (shown.length === 0) return;
  out.line("\nCases to look at (kedge audit --show ID):");
  const rows = shown.map(({ id, kind, time, path, why }) => [
    ...[id, kind.replace(/^kedge\./, ""), time?.slice(0, 16).replace("T", " ") ?? "", path ?? "", why],
  ]);
  for (const line of tableText(caseColumns, rows, out)) out.line(line);
  if (weighty.length > shown.length)
    out.line(`and ${many(weighty.length - shown.length, "more case")}: --json`);
}

interface Showing {
  readonly show: string;
  readonly isJson: boolean;
  readonly out: Stream;
}

function printDetails(details: readonly Detail[], { show, isJson, out }: Showing): number {
  if (details.length === 0)
    throw new InputError(
      `there is no case ${show} in these sessions; give the same PATH, --client and --since as the run that named it`,
    );
  for (const { case: one, input, result, guard, text } of details) {
    if (isJson) {
      out.line(JSON.stringify({ ...one, input, result, guard, text }));
      continue;
    }
    out.line(out.paint("bold", `${one.id}  ${one.kind}  ${one.why}`));
    out.line(
      `${one.client}, session ${visible(one.session)}, ${one.time ?? "at an unknown time"}, ${visible(one.tool)}${one.path === null ? "" : `, ${visible(one.path)}`}`,
    );
    for (const [title, value] of [
      ["The call", input],
      ["What came of it", result],
      ["The guard says", guard],
      ["The file before the call", text],
    ] as const)
      if (value !== null) out.line(`\n${out.paint("dim", `${title}:`)}\n${value}`);
    out.line("");
  }
  return done;
}
