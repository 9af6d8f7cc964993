// docs/bench.md and docs/bench/*.svg, from bench/results/*.json alone: nothing there is typed by hand.

import { bars, colours, lines, stacked } from "../plots.mjs";
import { exists, readJson } from "../shell.mjs";

const percent = (part, of) => {
  if (of === 0) return "none";
  return part === of ? "100 %" : `${Math.min(99.9, (100 * part) / of).toFixed(1)} %`;
};
const total = ({ right, refused, swapped = 0, wrong, silent = 0 }) =>
  right + refused + swapped + wrong + silent;
const table = (head, rows) =>
  [`| ${head.join(" | ")} |`, `|${head.map((_, at) => (at === 0 ? "---" : "---:")).join("|")}|`]
    .concat(rows.map((row) => `| ${row.join(" | ")} |`))
    .join("\n");
const add = (one, two) => ({
  right: one.right + two.right,
  refused: one.refused + two.refused,
  wrong: one.wrong + two.wrong,
  silent: (one.silent ?? 0) + (two.silent ?? 0),
  swapped: (one.swapped ?? 0) + (two.swapped ?? 0),
});
const none = { right: 0, refused: 0, swapped: 0, wrong: 0, silent: 0 };

export default function benchPage() {
  const parts = { replay, tokens, speed, agents, fleet };
  const present = Object.keys(parts).filter((name) => exists(`bench/results/${name}.json`));
  if (present.length === 0) return [];
  const made = present.map((name) => parts[name](readJson(`bench/results/${name}.json`)));
  const text = `# Proof

<!-- Made from bench/results by scripts/docs/bench.mjs. Do not edit. -->

Every figure and plot here is made by \`npm run bench\` from \`bench/results/*.json\`. Goals are ratios or counts; absolute times are shown, never
judged. On your own repository: \`kedge replay PATH\`, see [replay.md](replay.md). How another tool joins in: [replay-protocol.md](replay-protocol.md).

${made.map(({ section }) => section).join("\n")}`;
  return [{ path: "docs/bench.md", text }, ...made.flatMap(({ plots }) => plots)];
}

function about({ about: { date, command, node, git, patch, system, processor, memory, kedge } }) {
  return `*${date}, kedge ${kedge}, Node ${node}, git ${git}, ${patch}, ${system}, ${processor}, ${memory}. \`${command}\`*\n`;
}

function replay(result) {
  const { sets, peers } = result;
  const drawn = sets.filter(({ scores }) => total(scores[0].sample) > 0);
  if (drawn.length === 0)
    throw new Error("bench/results/replay.json holds no sample: npm run bench:replay -- --write --repo PATH");
  const names = sets[0].scores.map(({ mechanism }) => mechanism.name);
  const sampleOf = (name) =>
    drawn
      .map(({ scores }) => scores.find(({ mechanism }) => mechanism.name === name).sample)
      .reduce(add, none);
  const rows = names.map((name) => ({ name, tally: sampleOf(name) }));
  const isSilent = rows.some(({ tally }) => tally.silent > 0);
  const isSwapped = rows.some(({ tally }) => tally.swapped > 0);
  const outcomes = rows.map(({ name, tally }) => [
    name,
    percent(tally.right, total(tally)),
    percent(tally.refused, total(tally)),
    ...(isSwapped ? [`${tally.swapped}`] : []),
    `${tally.wrong}`,
    ...(isSilent ? [`${tally.silent}`] : []),
  ]);
  const plot = stacked(
    "Stale edits that really happened: what becomes of them",
    [
      { name: "right", colour: colours.right },
      { name: "refused without need", colour: colours.refused },
      { name: "wrong", colour: colours.wrong },
    ],
    rows.map(({ name, tally }) => ({
      name,
      values: [tally.right, tally.refused, tally.wrong],
      note: `${tally.wrong} wrong`,
    })),
  );
  const section = `## Stale edits from real histories

${about(result)}
An agent read a file; somebody else changed it; then the agent's edit came. *Right* is the text that the history really has, or a refusal where both
changed one line; what the classes are, and what is right in each, says [replay.md](replay.md). *Refused* is a refusal without need: nothing is lost, a round is. *Wrong* is a text that nobody wanted: an edit in a wrong place,
another one's change overwritten, an edit made twice, line ends lost.${isSwapped ? " *Swapped* is the right text, but for the order of what both put into one gap." : ""}

First the unweighted sample, ${total(rows[0].tally)} pairs of consecutive changes drawn with equal chance from ${drawn.map(({ name }) => name).join(" and ")}${withoutCase(drawn)}:

![outcomes](bench/outcomes.svg)

${table(["mechanism", "right", "refused", ...(isSwapped ? ["swapped"] : []), "wrong", ...(isSilent ? ["no answer"] : [])], outcomes)}

${landingMore(rows)}\`git merge-file\` is the reference: it has the text that was read, as the session has.
${peers.length > 0 ? `\nPeers, through adapters in \`bench/peers\`: ${peers.map((name) => `\`${name}\``).join(", ")}.\n` : ""}
By class, what lands and what does not: [bench/classes.md](bench/classes.md).
`;
  const classes = `# Stale edits by class

<!-- Made from bench/results by scripts/docs/bench.mjs. Do not edit. -->

The tables behind the first chart of [bench.md](../bench.md). What the classes are, and what is right in each, says [replay.md](../replay.md).

${sets.map(classTables).join("\n")}`;
  return {
    section,
    plots: [
      { path: "docs/bench/outcomes.svg", text: plot },
      { path: "docs/bench/classes.md", text: classes },
    ],
  };
}

/** Says which draws gave no case, with the share that they have. */
function withoutCase(sets) {
  const counts = {};
  for (const { drawn } of sets)
    for (const [kind, count] of Object.entries(drawn)) counts[kind] = (counts[kind] ?? 0) + count;
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const reasons = Object.entries(counts)
    // Classes have no blanks in their names.
    .filter(([kind]) => kind.includes(" "))
    .map(([reason, count]) => `${reason} (${percent(count, all)})`);
  return reasons.length === 0 ? "" : `. Left out of ${all} that were drawn: ${reasons.join(", ")}`;
}

/** Names those that are ahead of the session, and their price. */
function landingMore([session, ...others]) {
  const before = others.filter(({ tally }) => tally.right > session.tally.right).map(({ name }) => name);
  if (before.length === 0) return "";
  return `Where kedge is not first: more edits land with ${before.join(", ")}. kedge refuses where
a line may be one of several, or where others changed both sides of it; they write there all the same, and the price is the last column. `;
}

function classTables({ name, seed, hash, cases, scores }) {
  const classes = Object.keys(scores[0].classes).sort();
  const shorts = scores.map(({ mechanism }) => mechanism.short);
  const cell = (tally) =>
    `${percent(tally.right, total(tally))}${tally.wrong > 0 ? ` (**${tally.wrong}**)` : ""}`;
  return `### By class: ${name}

${cases} cases, ${seed === "" ? "" : `seed ${seed}, `}set \`${hash}\`. Right, and in brackets how many were wrong. Rows marked debatable: refusing is acceptable too. The first four
columns are kedge with and without its record; \`own-seq\` is counted by edit.${seed === "" ? " This set is not part of the package." : ""}

${table(
  ["class", "cases", ...shorts],
  classes.map((row) => [
    row,
    total(scores[0].classes[row]),
    ...scores.map(({ classes: all }) => cell(all[row])),
  ]),
)}
`;
}

function tokens(result) {
  const kinds = ["o200k_base", "cl100k_base", "claude"];
  const cells = (counts, digits = 0) => kinds.map((kind) => counts[kind].toFixed(digits));
  const { lines: listed, edits, recovery } = result;
  const [first] = listed;
  const real = listed.filter(({ text }) => text === first.text);
  const perLine = bars(
    "Extra tokens a line, beside the bare text",
    kinds.map((name, at) => ({ name, colour: colours.series[[0, 2, 3][at]] })),
    real.map(({ way, extra }) => ({ name: way, values: kinds.map((kind) => extra[kind]) })),
    { digits: 1 },
  );
  const recovered = bars(
    "Recovery from one stale line: tokens in all (o200k_base)",
    [
      { name: "kedge, by handle", colour: colours.series[0] },
      { name: "full re-read", colour: colours.series[1] },
    ],
    recovery.map(({ lines: count, retry, reread }) => ({
      name: `${count.toLocaleString("en-US")} lines`,
      values: [retry.o200k_base, reread.o200k_base],
    })),
    { log: true },
  );
  const section = `## Tokens

${about(result)}
![tokens a line](bench/tokens.svg)

${table(
  ["extra tokens a line", ...kinds],
  listed.map(({ text, way, extra }) => [`${text}: ${way}`, ...cells(extra, 2)]),
)}

A number of four digits is two tokens: in files of more than 999 lines every scheme, and \`cat -n\`, costs more. A word of \`lean\` is one token in all
three; the published Claude tokenizer takes more for the number and the tab after it, and there \`cat -n\` is cheaper than \`lean\`.

![recovery](bench/recovery.svg)

${table(
  ["recovery from one stale line, in all", ...kinds],
  recovery.flatMap(({ lines: count, retry, anchors, reread }) => [
    [`${count.toLocaleString("en-US")} lines: kedge, by handle`, ...cells(retry)],
    [`${count.toLocaleString("en-US")} lines: kedge, by the anchors shown`, ...cells(anchors)],
    [`${count.toLocaleString("en-US")} lines: full re-read`, ...cells(reread)],
  ]),
)}

${table(
  ["an edit and its success", ...kinds],
  edits.flatMap(({ work, way, call, answer }) => [
    [`${work}, ${way}: call`, ...cells(call)],
    [`${work}, ${way}: answer`, ...cells(answer)],
  ]),
)}
`;
  return {
    section,
    plots: [
      { path: "docs/bench/tokens.svg", text: perLine },
      { path: "docs/bench/recovery.svg", text: recovered },
    ],
  };
}

function speed(result) {
  const { groups, cold, stale, scaling, curves = {} } = result;
  const works = {
    split: "toString().split, the baseline",
    list: "list",
    edit: "edit",
    stale: "stale edit, 50 foreign changes",
  };
  const plot = lines(
    "From 1,000 to 1,000,000 lines",
    Object.entries(works).map(([work, name], at) => ({
      name,
      colour: ["#818b98", ...colours.series.filter((_, index) => index !== 1)][at],
      values: scaling.map((point) => point[work]),
    })),
    { xs: scaling.map((point) => point.lines), xName: "lines", yName: "milliseconds", log: true },
  );
  const rows = Object.values(groups).flat();
  const section = `## Speed

${about(result)}
Ratios of medians in one run, work and baseline in turn; the spread is from the tenth to the ninetieth percentile.
The rows against \`toString().split\` and the growth are in processor time: that work waits for nothing, and by the wall a busy machine falls on long
work and spares short work. Their results are held until the next, as by a caller who is about to write them: the allocator would else give the pages
back with every collection, and each call would fetch them anew, which is half as long again for an edit. All other rows are by the wall.
A commit does more than its baseline: it takes and gives back a lock between processes, makes sure that no link was put on the way, keeps mode
and owner, compares the bytes while the new ones are flushed, keeps a second name of the replaced file until nobody can have written into it, and
flushes the folder. One thing it does not wait for: the blocks of the replaced file are freed after the answer. Its rows are those of a process that has
made few commits, as most have that write at all; the last of them is of one in which all of it is compiled. The goal is near, and the disk has its moods:
docs/decisions/008 has the figures of other runs, and says where the time goes.
An edit through MCP is such a commit, and the ledger, the version and the journal are written too; the reference server writes and renames, and waits
for no disk. That is why it is faster in this row: an edit of ours is on the disk, and can be undone, before the answer is given.
Whole runs of clients are of 26 calls (8 reads, 12 edits, 6 commands) against a model that answers at once: with a real one the guard's share is a small
part of that. Claude Code starts a process of the guard for each event; docs/decisions/006 says what of this can be spared, and what Node alone takes.

${table(
  ["work", "against", "ratio", "goal", "spread", "milliseconds", ""],
  rows.map(({ work, baseline, ratio, goal, spread, milliseconds }) => [
    ...[work, baseline, ratio.toFixed(2), `${goal}`, spread.map((one) => one.toFixed(2)).join(" to ")],
    ...[milliseconds.toFixed(2), ratio <= goal ? "met" : "**missed**"],
  ]),
)}

![scaling](bench/scaling.svg)

${table(
  ["lines", "split, ms", "list, ms", "edit, ms", "stale edit, ms", "memory beside what is allowed"],
  scaling.map(({ lines: count, split, list, edit, stale: late, memory, allowed }) => [
    count.toLocaleString("en-US"),
    ...[split, list, edit, late].map((time) => time.toFixed(2)),
    count < 10_000 ? "too small to measure" : percent(memory, allowed),
  ]),
)}

${grown(curves)}The first call of a process, before anything is compiled, on 10,000 lines:

${table(
  ["work", "cold, ms", "warm, ms"],
  cold.map(({ work, cold: first, warm }) => [work, first.toFixed(2), warm.toFixed(2)]),
)}

${
  stale.length > 0
    ? `The same edit of one repeated line through MCP, after a read:\n\n${table(
        Object.keys(stale[0]),
        stale.map((row) => Object.values(row)),
      )}\n`
    : ""
}`;
  return { section, plots: [{ path: "docs/bench/scaling.svg", text: plot }, ...growthPlots(curves)] };
}

const growths = {
  journal: ["By the length of the journal", "entries in the journal"],
  session: ["By the length of a session: an edit by the anchors of one read", "edits of that session before"],
  agents: ["By the number of agents: an edit of one file, as many edits before", "agents on that file"],
};
/** Curves of fractions of a millisecond would press the others together. */
const isSmall = ({ values }) => Math.max(...values) < 0.5;

function growthPlots(curves) {
  return Object.entries(curves).map(([name, { xs, series }]) => {
    const [title, xName] = growths[name];
    const shown = series.filter((one) => !isSmall(one));
    const all = ["#818b98", ...colours.series, colours.right, "#c2661d"];
    const drawn = shown.map((one, at) => ({ ...one, colour: all[(at + 1) % all.length] }));
    return {
      path: `docs/bench/growth-${name}.svg`,
      text: lines(title, drawn, { xs, xName, yName: "milliseconds of processor time" }),
    };
  });
}

/** The curves behind the growth rows. */
function grown(curves) {
  const parts = Object.entries(curves).map(([name, { xs, series }]) => {
    const [, xName] = growths[name];
    const head = [`${xName}: ms of processor time`, ...xs.map((x) => x.toLocaleString("en-US"))];
    const rows = series.map((one) => [one.name, ...one.values.map((value) => value.toFixed(2))]);
    return `![growth by ${name}](bench/growth-${name}.svg)\n\n${table(head, rows)}\n`;
  });
  return `What a long journal, a long session and many agents cost: the curves behind the growth rows. Few agents that take turns, each by the anchors
of its first read, are the dearest: every change of hands ends a run of changes, and many short runs are put together anew by every call.\n\n${parts.join("\n")}\n`;
}

function agents(result) {
  const { outcomes, edits, files } = result;
  const ways = [...new Set(outcomes.map(({ way }) => way))];
  const xs = [...new Set(outcomes.map((one) => one.agents))];
  const plot = lines(
    "Accepted edits that were lost, by number of agents",
    ways.map((way, at) => ({
      name: way,
      colour: colours.series[at],
      values: xs.map((count) => outcomes.find((one) => one.way === way && one.agents === count).lost),
    })),
    { xs, xName: "agents at work on one tree", yName: "lost edits" },
  );
  const section = `## Many agents on one tree

${about(result)}
Each agent is a process; each wants ${edits} edits in ${files} files, most of them in one hot part, thinks between reading and editing, and adds a mark of its own to
what it saw. A mark that is missing in the end, although its edit was accepted, was lost. Tokens are o200k_base, of all that went to and from
the model, for each accepted edit.

![agents](bench/agents.svg)

${table(
  [
    ...["agents", "way", "accepted", "relocated", "refused", "given up", "lost", "tokens an edit"],
    ...["processor, ms an edit", "seconds"],
  ],
  outcomes.map((one) => [
    ...[one.agents, one.way, `${one.accepted} of ${one.wanted}`, one.relocated, one.refused, one.givenUp],
    ...[one.lost === 0 ? "0" : `**${one.lost}**`, one.tokens.toLocaleString("en-US")],
    ...[one.processor.toFixed(1), one.seconds.toFixed(1)],
  ]),
)}

${behind(outcomes, result.about.processor.replace(/ ×.*/, " processors"))}
`;
  return { section, plots: [{ path: "docs/bench/agents.svg", text: plot }] };
}

function fleet(result) {
  const { rows, rounds, lines, postgres } = result;
  const milliseconds = (value) =>
    value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString("en-US");
  const section = `## The store that hosts share

${about(result)}
The same work with the record in a folder, and in PostgreSQL ${postgres} on the same machine, in turn, ${rounds} times; files of about ${lines.toLocaleString("en-US")} lines, every write
flushed. Where processes share the database, each is a host with a state folder of its own. Medians.

${table(
  ["work", "in a folder, ms", "in PostgreSQL, ms", "ratio", "goal", "met"],
  rows.map(({ what, folder, database, ratio, goal }) => [
    ...[what, milliseconds(folder), milliseconds(database), ratio.toFixed(2)],
    ...[`≤ ${goal.toFixed(2)}`, ratio <= goal ? "yes" : "**no**"],
  ]),
)}
`;
  return { section, plots: [] };
}

/** Says plainly what is better than kedge in that table. */
function behind(outcomes, processors) {
  const most = Math.max(...outcomes.map((one) => one.agents));
  const at = outcomes.filter((one) => one.agents === most);
  const [ours] = at;
  const cheaper = at.filter((one) => one.tokens < ours.tokens).map(({ way }) => way);
  const faster = at.filter((one) => one.seconds < ours.seconds).map(({ way }) => way);
  return [
    ...(cheaper.length > 0
      ? [`Fewer tokens an edit than kedge: ${cheaper.join(", ")}; anchors cost some in every read.`]
      : []),
    ...(faster.length > 0
      ? [
          `Faster than kedge: ${faster.join(", ")}. An edit of kedge takes more of the processor: it is judged by what was
shown, written under a lock, flushed, kept and recorded, in a process that runs each of these for the first few times. Here ${most} processes
share ${processors}; agents that think for seconds do not wait for each other.`,
        ]
      : []),
  ].join(" ");
}
