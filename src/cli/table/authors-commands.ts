/** Commands that say whose the uncommitted lines of a tree are. */
import { type Command, dryRun, type Flag, file, json } from "../flag-types.js";

const whose: readonly Flag[] = [
  { name: "mine", help: "yours; in a terminal without an agent: --person" },
  { name: "agent", value: "A", help: "of this agent, as the log prints it or in full" },
  { name: "person", help: "of the person, or of any program but agents" },
];
const session: Flag = { name: "session", value: "ID", help: "who is calling, for --mine" };
const files = { ...file, optional: true, many: true } as const;

export const ofAuthors: readonly Command[] = [
  {
    name: "blame",
    summary: "who wrote each uncommitted line, when, with which tool",
    together: "whose the uncommitted lines are; commit one author's",
    positionals: [file],
    records: true,
    flags: [session, json],
    examples: [["kedge blame src/a.ts", "lines that stand in HEAD have no author"]],
    json: "[{line, author, time, tool, edit}]: author is null for a committed line, a list where it was one of several",
  },
  {
    name: "diff",
    beside: "blame",
    summary: "the uncommitted lines of one author, as a patch",
    positionals: [files],
    records: true,
    flags: [...whose, session, json],
    examples: [
      ["kedge diff --mine", "what kedge commit --mine would commit"],
      ["kedge diff --agent claude-code:7f3a src", "of another agent, below a folder"],
      [
        "kedge diff --person | git apply --cached --check -",
        "it applies to HEAD if it stands on nobody else's lines",
      ],
    ],
    json: "{author, files, patch, needs: [{path, author, lines, standing, why}], unknown: [{path, lines, authors}]}",
  },
  {
    name: "commit",
    beside: "blame",
    summary: "a git commit of one author's lines alone",
    positionals: [files],
    records: true,
    flags: [
      ...whose,
      {
        name: "message",
        short: "m",
        value: "MESSAGE",
        multiple: true,
        help: "of the commit",
      },
      {
        name: "with",
        value: "A",
        multiple: true,
        help: "also the lines of A that these stand on",
      },
      { name: "with-unknown", help: "also lines of which several may be the author" },
      { name: "stage", help: "only stage; make no commit" },
      { ...dryRun, help: "write nothing; print the commit as a patch" },
      session,
      json,
    ],
    examples: [
      ["kedge commit --mine -m 'Add a greeting'", "your lines alone"],
      ["kedge commit --person --dry-run", "what it would be"],
    ],
    notes: [
      "Files and the lines of others stay as they are, and staged changes stay staged. Your hooks run. Refused in the",
      "middle of a merge or rebase, and where a line stands on uncommitted lines of others. More: docs/authors.md.",
    ],
    json: "{status, commit, author, files, unknown}; with --dry-run {status, author, files, patch, unknown}; refused {status, code, message, needs}",
  },
];
