/** Commands that study what happened: in sessions of agents, and in a git history. */
import { audited, type Command, json } from "../flag-types.js";

export const studies: readonly Command[] = [
  {
    name: "ui",
    summary: "a page of agents at work: who is where, what is stale, what is lost",
    together: "see agents at work, on a page or here",
    positionals: [],
    records: true,
    flags: [
      { name: "port", value: "N", help: "listen here (default: a free port)" },
      { name: "no-open", help: "print the address and start no browser" },
    ],
    examples: [["kedge ui", "the address opens one page, within a minute; Enter prints another"]],
    notes: ["Listens on 127.0.0.1 alone and ends with Ctrl-C. What it shows: docs/view.md."],
  },
  {
    name: "watch",
    beside: "ui",
    summary: "see agents at work in the terminal; in a pipe one line an event",
    positionals: [],
    records: true,
    flags: [{ name: "once", help: "print what is there now, and end" }, json],
    examples: [
      ["kedge watch", "q quits, r restores what is lost"],
      ["kedge watch --json", "the stream, for programs"],
    ],
    json: '{"type": "state", "state": {…}} and {"type": "event", "event": {…}}: docs/view.md',
  },
  {
    name: "audit",
    beside: "demo",
    summary: "what happened in your agents' sessions",
    positionals: [{ name: "PATH", optional: true, many: true, is: "path" }],
    flags: [
      { name: "client", value: "NAME", choices: audited, help: "only this client's sessions" },
      {
        name: "since",
        value: "TIME",
        help: "only what is newer: 12h, 30d or a date (default 30d, with PATH all of it)",
      },
      { name: "html", value: "FILE", help: "also write the report as a page with plots" },
      { name: "show", value: "ID", help: "one case with all that is known of it, file contents included" },
      json,
    ],
    examples: [
      ["kedge audit", "the last 30 days, all clients on this machine"],
      ["kedge audit ~/.claude/projects/-home-me-app --since 7d", "one project, one week"],
      ["kedge audit --html audit.html", "a page to look at"],
      ["kedge audit --show 3fa1c0", "one case"],
    ],
    notes: [
      "Reads session files, sends nothing, writes nothing but the page. Only --show prints file contents. Each number",
      "is explained in docs/audit.md.",
    ],
    json: [
      "{sessions, agents, edits, failed: {total, blanks, notFound, notRead, several, stale, declined, other}, recovery:",
      "{calls, characters}, shellChanges, repeatedReads, lostByCommands, undecided, kedge: {healed, refusedRightly,",
      "toldEarly, inTheWay}, cases: [{id, kind, client, session, agent, time, call, tool, path, why}]}; with --show a line",
      "for each case with input, result, guard and text",
    ].join(" "),
  },
  {
    name: "replay",
    beside: "demo",
    summary: "score stale edits made from a git history",
    positionals: [{ name: "PATH", optional: true, is: "folder" }],
    flags: [
      { name: "seed", value: "S", help: "which cases are drawn (default 1)" },
      { name: "cases", value: "N", help: "how many (default 400)" },
      { name: "set", value: "DIR", help: "prepared cases instead of a history" },
      {
        name: "peer",
        value: "NAME=COMMAND",
        multiple: true,
        help: "also a program that speaks the replay protocol",
      },
      { name: "peer-timeout", value: "SECONDS", help: "how long a peer may take for one call (default 60)" },
      { name: "tables", help: "also every way of editing and every class of cases, in numbers" },
      { name: "show", value: "ID", help: "one case with base, current, result and truth side by side" },
      json,
    ],
    examples: [
      ["kedge replay .", "this repository: what becomes of edits that come too late"],
      ["kedge replay . --tables", "the same with every way of editing, in numbers"],
      ["kedge replay ~/src/project --cases 2000 --seed 7", "more cases, others"],
      ["kedge replay . --show 1f3a", "one of them"],
    ],
    notes: [
      "Cases are made from consecutive changes and merges of the last 20,000 commits; the same seed gives the same cases,",
      "named by the hash of the set. Nothing in the repository is changed. How to read the tables: docs/replay.md. The",
      "protocol of peers: docs/replay-protocol.md.",
    ],
    json: [
      "{name, seed, hash, cases, drawn}, then a line for each mechanism: {mechanism, sample, classes}, sample and each class a",
      "tally {right, refused, wrong, silent, wrongIds, silentIds, secondTime}, then a line for each case: {id, class, path,",
      "origin, expect, debatable, sampled, outcomes}; with --show the whole case and its results",
    ].join(" "),
  },
];
