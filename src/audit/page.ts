/** The report as one page that needs nothing else, runs nothing and loads nothing. */
import { createHash } from "node:crypto";
import { visible } from "../text/index.js";
import { failureKinds, failureReasons } from "./failures.js";
import { type Bar, barPlot, dayPlot, escaped } from "./plots.js";
import type { Audit, Case } from "./report.js";
import { lookedAt, many, number, reportRows, sentences, share } from "./sentences.js";

const style = `
:root { color-scheme: light dark; --ink: #1c2024; --dim: #60646c; --paper: #fcfcfd; --card: #fff; --line: #e0e1e6;
  --other: #8da4ef; --failed: #e5484d; --good: #30a46c; --bad: #d97706; }
@media (prefers-color-scheme: dark) { :root { --ink: #edeef0; --dim: #b0b4ba; --paper: #111113; --card: #18191b; --line: #363a3f;
  --other: #5472e4; --failed: #e5484d; --good: #30a46c; --bad: #f5a524; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 68rem; padding: 2rem 1.25rem 4rem; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 0.5rem; } h2 { font-size: 1.1rem; margin: 2.25rem 0 0.75rem; }
p.said { font-size: 1.15rem; max-width: 46rem; }
p.dim, figcaption, .label { color: var(--dim); fill: var(--dim); }
figure { margin: 1.25rem 0; padding: 1rem; background: var(--card); border: 1px solid var(--line); border-radius: 8px; overflow-x: auto; }
figcaption { margin-bottom: 0.75rem; }
svg { width: 100%; min-width: 34rem; height: auto; display: block; }
svg text { font: 13px system-ui, sans-serif; fill: var(--ink); } svg .label { fill: var(--dim); } svg .end { text-anchor: end; }
.other { fill: var(--other); } .failed { fill: var(--failed); } .good { fill: var(--good); } .bad { fill: var(--bad); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: 0.35rem 0.75rem 0.35rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { color: var(--dim); font-weight: 500; } td.number { text-align: right; } td.part { padding-left: 1.25rem; }
td code { overflow-wrap: anywhere; } td.whole { white-space: nowrap; } td.path { min-width: 15rem; } code { font: 0.875em ui-monospace, monospace; }
tr.bad td:first-child { font-weight: 600; }
`;

/** Cases that are listed of one kind; all of them are in the JSON. */
const listed = 50;

export function auditPage(audit: Audit): string {
  const hash = createHash("sha256").update(style).digest("base64");
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  const { report, extent } = audit;
  return [
    "<!doctype html>",
    '<html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="referrer" content="no-referrer">',
    `<title>What happened in your sessions</title><style>${style}</style></head><body>`,
    "<h1>What happened in your sessions</h1>",
    `<p class="said">${escaped(sentences(audit).join(" "))}</p>`,
    `<p class="dim">${escaped(extentText(audit))}</p>`,
    extent.from === null ? "" : dayPlot(audit),
    barPlot("Why edits failed, of all that failed", failureBars(audit)),
    barPlot("What Kedge would have done: good and bad", kedgeBars(audit)),
    "<h2>All numbers</h2>",
    numbersTable(audit),
    "<h2>Cases to look at</h2>",
    casesTable(report.cases),
    "</body></html>\n",
  ].join("\n");
}

function extentText({ extent, report }: Audit): string {
  const clients = Object.entries(extent.clients).map(
    ([name, { sessions, edits }]) => `${name} (${many(sessions, "session")}, ${many(edits, "edit")})`,
  );
  return `${many(report.sessions, "session")} in ${many(extent.files, "file")}: ${clients.join(", ")}. Nothing was sent anywhere.`;
}

function failureBars({ report: { failed } }: Audit): Bar[] {
  return failureKinds.map((kind) => ({
    ...{ label: failureReasons[kind], value: failed[kind], of: failed.total, kind: "failed" },
  }));
}

function kedgeBars({ report: { kedge, edits, undecided } }: Audit): Bar[] {
  const played = edits - undecided;
  return [
    { label: "edits healed", value: kedge.healed, of: played, kind: "good" },
    { label: "harm refused", value: kedge.refusedRightly, of: played, kind: "good" },
    { label: "told before it failed or did harm", value: kedge.toldEarly, of: played, kind: "good" },
    { label: "good calls refused (false alarms)", value: kedge.inTheWay, of: played, kind: "bad" },
    { label: "cannot be told", value: undecided, of: edits, kind: "other" },
  ];
}

function numbersTable(audit: Audit): string {
  const rows = reportRows(audit).map(({ what, count, of, noun, kind }) => {
    const cells = [
      `<td${what.startsWith("  ") ? ' class="part"' : ""}>${escaped(what.trim())}</td>`,
      `<td class="number">${number(count)}</td>`,
      `<td class="number">${number(of)}</td><td>${escaped(noun)}</td>`,
      `<td class="number">${share(count, of)}</td>`,
    ];
    return `<tr class="${kind === "bad" ? "bad" : ""}">${cells.join("")}</tr>`;
  });
  return table(["", "count", "of", "", "share"], rows);
}

function casesTable(cases: readonly Case[]): string {
  const shown = lookedAt.flatMap((kind) => cases.filter((one) => one.kind === kind).slice(0, listed));
  if (shown.length === 0) return "<p>There are none.</p>";
  const rows = shown.map(({ id, kind, client, time, path, why }) => {
    const cells = [
      `<code>${escaped(id)}</code>`,
      escaped(kind.replace(/^kedge\./, "")),
      escaped(client),
      escaped(time?.slice(0, 16).replace("T", " ") ?? ""),
    ].map((cell) => `<td class="whole">${cell}</td>`);
    const file = `<td class="path"><code>${escaped(visible(path ?? ""))}</code></td>`;
    return `<tr class="${kind === "kedge.inTheWay" ? "bad" : ""}">${cells.join("")}${file}<td>${escaped(why)}</td></tr>`;
  });
  const note = `<p class="dim">At most ${listed} of each kind. <code>kedge audit --show ID</code> prints one with all that is known of it.</p>`;
  return note + table(["id", "what", "client", "when", "file", "why"], rows);
}

function table(heads: readonly string[], rows: readonly string[]): string {
  const head = heads.map((one) => `<th scope="col">${escaped(one)}</th>`).join("");
  return `<div class="scroll"><table><thead><tr>${head}</tr></thead><tbody>\n${rows.join("\n")}\n</tbody></table></div>`;
}
