/** Every command and flag, told once: the parser, the help, docs/cli.md and the completions are made from this. */

import {
  anchors,
  type Command,
  client,
  dryRun,
  type Flag,
  file,
  from,
  install,
  json,
  schemeNames,
  shells,
  since,
  touching,
  uninstall,
  unmoved,
} from "../flag-types.js";
import { ofAuthors } from "./authors-commands.js";
import { ofFleets } from "./fleet-commands.js";
import { studies } from "./studies.js";

const reading: readonly Command[] = [
  {
    name: "read",
    summary: "show a file, each line with its anchor",
    positionals: [{ ...file, stdin: true, many: true }],
    touches: true,
    flags: [
      { name: "start", value: "N", help: "first line" },
      { name: "end", value: "N", help: "last line" },
      { name: "ranges", value: "R", help: "only these lines: 10-20,40-50" },
      { ...anchors, choices: [...schemeNames, "none"] },
      { name: "delta", help: "only what others changed since it was shown" },
      json,
    ],
    examples: [
      ["kedge read src/a.ts", "all of it, up to 2,000 lines"],
      ["kedge read src/a.ts:10-20 src/b.ts", "some lines of a file, and another file"],
      ["kedge read src/a.ts --ranges 10-20,40-50", "the same for scripts"],
      ["kedge read src/a.ts --delta", "what others changed since"],
      ["git show HEAD:src/a.ts | kedge read -", "stdin; it cannot be edited, so nothing is recorded"],
    ],
    notes: [
      "A row is an anchor, |, and the line: 12#0f0dd9|foo. Copy the part before the | to name the line.",
      "stdout has rows alone; stderr says what they leave out. If there are several files, each has its name above its rows.",
    ],
    json: "{path, version, scheme, totalLines, rows: [{line, anchor, text}]}; with --delta also {deletions: [{after, count}]}",
  },
  {
    name: "grep",
    summary: "search files; every row comes with its anchor",
    positionals: [{ name: "PATTERN" }, { name: "PATH", optional: true, many: true, is: "path" }],
    touches: true,
    flags: [
      { name: "ignore-case", short: "i", help: "upper and lower case are the same" },
      { name: "literal", short: "F", help: "PATTERN is a text, not a regular expression" },
      { name: "word", short: "w", help: "only whole words" },
      { name: "files", short: "l", help: "only the names of files with a match" },
      { name: "number", short: "n", help: "line numbers; every row has its own anyway" },
      { name: "recursive", short: "r", help: "folders to their end; always so" },
      { name: "context", short: "C", value: "N", help: "N lines around each match" },
      { name: "glob", value: "G", help: "only files like this: '*.ts'" },
      { name: "max", value: "N", help: "stop after N matching lines (default 100)" },
      anchors,
      json,
    ],
    examples: [
      ["kedge grep 'function \\w+' src", "a regular expression"],
      ["kedge grep -iF todo --glob '*.ts' -C 2", "a text, in some files, with two lines around it"],
    ],
    notes: [
      "Exit status 1 without a match. Rows count as shown: they can be edited without a read. Files that git ignores are passed over.",
    ],
    json: "a line for each file as `kedge read` prints it, then {files, matches, limited}; with -l a line {path, lines} for each file",
  },
];

const writing: readonly Command[] = [
  {
    name: "edit",
    summary: "replace, insert or delete lines named by their anchors",
    positionals: [file, { name: "ANCHOR" }, { name: "CONTENT", optional: true }],
    touches: true,
    flags: [
      { name: "end", value: "ANCHOR", help: "last line of a range that begins at ANCHOR" },
      { name: "after", help: "insert after the line" },
      { name: "before", help: "insert before the line" },
      { name: "delete", help: "delete the line or range" },
      from,
      unmoved,
      dryRun,
      json,
    ],
    examples: [
      ["kedge edit a.ts 12#0f0dd9 'const a = 1;'", "replace a line"],
      ["kedge edit a.ts 12#0f0dd9 --end 15#44bb18 --from new.txt", "a range"],
      ["printf '%s\\n' x y | kedge edit a.ts 12#0f0dd9 --after -", "insert from stdin"],
      ["kedge edit a.ts 12#0f0dd9 --delete", "delete a line"],
    ],
    notes: [
      "Single quotes keep $, ` and \\ from the shell. \\n in CONTENT is two characters: for several lines type real line",
      "breaks, $'one\\ntwo' in bash and zsh, or --from. A last line break only ends the last line; '' is one empty line.",
      "Text that begins with - goes after --: kedge edit a.md 3#44bb18 -- '- item'",
    ],
    json: "details and text: {status, path, before, after, edits, diff, firstChangedLine, changedRanges, warnings, id, text}",
  },
  {
    name: "apply",
    summary: "edits of one or several files from JSON, all or nothing",
    together: "edits from JSON, all or nothing; a refused call again",
    positionals: [{ name: "REQUEST.json", optional: true, is: "file", stdin: true }],
    touches: true,
    flags: [unmoved, dryRun, json],
    examples: [
      [
        "kedge apply request.json",
        '{"files":[{"path":"a.ts","edits":[…]},…]} or {"path":"a.ts","edits":[…]}',
      ],
      ["kedge apply --dry-run - < request.json", "only the diff"],
    ],
    notes: [
      'An edit: {"op":"set_line","anchor":"12#0f0dd9","text":"…"}; also replace_lines (start, end, text), insert_after and',
      "insert_before (anchor, text), delete_lines (start, end), append, prepend (text), replace_text (old, new; anchor, end, all), move_lines",
      "and copy_lines (start, end, after); in a batch also create_file (text), delete_file, move_file (to).",
      "An anchor that may mean several lines is refused with a handle for each: send the one of the line that is meant.",
    ],
    json: "details as of edit; of a batch {status, files: [details]}",
  },
  {
    name: "write",
    summary: "create a file, or replace one that was wholly shown",
    positionals: [file],
    touches: true,
    flags: [from, dryRun, json],
    examples: [
      ["kedge write notes.md --from draft.md", "the bytes of another file"],
      ["echo hello | kedge write hello.txt", "stdin"],
    ],
    json: "details as of edit",
  },
  {
    name: "retry",
    beside: "apply",
    summary: "send a refused call again by its handle",
    positionals: [{ name: "HANDLE" }],
    touches: true,
    flags: [unmoved, dryRun, json],
    examples: [["kedge retry r7c41f09a", "as it was, on the rows that its refusal showed"]],
    notes: [
      "A handle is good once, for the agent that was refused, from any folder. If a file has changed again since, the call is judged anew.",
    ],
    json: "details and text, as of edit or apply",
  },
  {
    name: "undo",
    summary: "take edits back, also when the file has changed since",
    positionals: [{ ...file, optional: true }],
    touches: true,
    flags: [
      { name: "id", value: "ID", help: "this edit or batch, whosever; of an undo: make its edits again" },
      { name: "last", value: "N", help: "the last N edits; a batch counts as one" },
      { name: "list", help: "list what can be undone" },
      { name: "anyone", help: "edits of everybody, not only your own" },
      { name: "yes", help: "in a terminal: the newest edit, without a question" },
      dryRun,
      json,
    ],
    examples: [
      ["kedge undo", "your last edit, or batch"],
      ["kedge undo src/a.ts --last 3", "your last three of a file"],
      ["kedge undo src/a.ts --anyone", "the last one of a file, whoever made it"],
      ["kedge undo --list", "what can be undone, with ids"],
    ],
    notes: [
      "A person in a terminal is nobody's agent: the last edits are listed with who made them, and you choose one.",
      "`kedge restore ID` brings back an edit that was undone.",
    ],
    json: "{status, undone: [{id, path, diff, agent}], again}; with --list journal entries with undoable, newest first",
  },
];

const record: readonly Command[] = [
  {
    name: "log",
    summary: "what was written and refused, by whom",
    together: "what was written and refused; one entry; in numbers",
    positionals: [{ ...file, optional: true }],
    records: true,
    flags: [
      { name: "file", value: "F", help: "only this file; the same as FILE" },
      {
        name: "agent",
        value: "A",
        help: "only entries of this agent, by its whole name or as the log prints it",
      },
      { name: "patch", short: "p", help: "each entry with its diff, as kedge show prints it" },
      since,
      { name: "max", value: "N", help: "only the newest N (default 100)" },
      { name: "follow", short: "f", help: "then print new ones as they come, until Ctrl-C" },
      json,
    ],
    examples: [
      ["kedge log --since 1h", "the last hour"],
      ["kedge log src/a.ts -p", "one file, with every diff"],
      ["kedge log --file src/a.ts --json", "one file, for programs"],
    ],
    json: "a line for each entry: {id, time, agent, tool, kind, path, lines, code, cause, edits, …}, oldest first",
  },
  {
    name: "show",
    beside: "log",
    summary: "one entry of the log: who, when, with which tool, and its diff",
    positionals: [{ name: "ID" }],
    records: true,
    flags: [json],
    examples: [["kedge show mq3k2a1b-x7", "an edit, undo or refusal, or all edits of a batch"]],
    json: "a line for each entry, as of log, with diff (null if the text is no longer kept)",
  },
  {
    name: "stats",
    beside: "log",
    summary: "edits, relocations, refusals and contention in numbers",
    positionals: [],
    records: true,
    flags: [since, json],
    examples: [["kedge stats --since 7d", "the last week"]],
    json: "{commits, relocated, refusals, undone, lost, files, causes, agents, saved, contention}",
  },
  {
    name: "session",
    summary: "who was shown what: list, fold, end, purge; name an agent",
    together: "who was shown what; name an agent; tokens for kedge serve",
    positionals: [
      { name: "ACTION", choices: ["list", "name", "fold", "end", "purge"] },
      { name: "AGENT", optional: true },
      { name: "NAME", optional: true },
    ],
    records: true,
    flags: [
      { name: "session", value: "ID", help: "whose (default: the caller's own)" },
      { name: "yes", help: "purge without being asked to confirm" },
      json,
    ],
    examples: [
      ["kedge session list", "everybody who worked in this workspace"],
      ["kedge session name tester 'fixes the parser'", "what you call it, on this machine alone"],
      ["kedge session fold", "the conversation was compacted: nothing counts as shown any more"],
      ["kedge session end --session ID", "forget ID altogether"],
      ["kedge session purge --yes", "delete this workspace's record: ledger, journal and undo"],
    ],
    json: "list: a line for each agent; else {action, session}, {action, session, name} or {action, folder}",
  },
  {
    name: "lost",
    summary: "edits that somebody's command took away",
    together: "edits that somebody's command took away; merge them back",
    positionals: [],
    touches: true,
    flags: [{ name: "all", help: "with lines of others that a command replaced" }, json],
    examples: [
      ["kedge lost", "what is lost, after which command of whom"],
      ["kedge lost --json", "with the whole diff of each"],
    ],
    notes: [
      "An edit is lost when its lines are gone and no edit on record replaced them: git checkout, stash, reset, a rewind, a",
      "program that wrote the whole file. Reformatted and renamed lines are not lost, nor lines in a commit.",
    ],
    json: "a line for each edit: {id, time, agent, tool, path, lines, what, gone, kept, diff, lost: {time, agent, tool, command}}",
  },
  {
    name: "restore",
    beside: "lost",
    summary: "merge lost edits back",
    positionals: [{ name: "ID", optional: true, many: true }],
    touches: true,
    flags: [
      { name: "all", help: "everything that is lost" },
      { name: "forget", help: "list these edits no more" },
      json,
    ],
    examples: [
      ["kedge restore --all", "everything that was lost"],
      ["kedge restore mq3k2a1b-x7", "one edit, or batch, alone; also one that was undone"],
    ],
    notes: [
      "Merged by the rules of edits: what others did since stays, and where they changed the same lines that file is",
      "refused (exit status 5) and the others are restored. One `kedge undo` takes all of it back: then it is lost again.",
    ],
    json: "{status, restored: [{path, ids, diff}], already, refused: [{path, ids, code, message, mismatches, needs}], code}",
  },
];

const doors: readonly Command[] = [
  {
    name: "mcp",
    summary: "serve the tools to an MCP client over stdio",
    together: "tools over stdio and HTTP for clients; the guard's hook",
    positionals: [],
    records: true,
    flags: [
      touching.find(({ name }) => name === "root") as Flag,
      anchors,
      touching.find(({ name }) => name === "gate") as Flag,
      touching.find(({ name }) => name === "session") as Flag,
      { name: "read-only", help: "only read_file and grep" },
    ],
    examples: [["kedge mcp --root .", "for the client's configuration; it speaks JSON-RPC"]],
  },
  {
    name: "hook",
    beside: "mcp",
    summary: "the guard's hook, started by the client",
    positionals: [client],
    flags: [
      { name: "state", value: "DIR", help: "keep the record there; KEDGE_STATE does not count in a hook" },
    ],
    examples: [["kedge hook claude-code", "reads the event from stdin"]],
  },
  ...ofFleets,
  {
    name: "install",
    summary: "guard a client's own editing tools",
    together: "guard a client's own editing tools, or stop",
    positionals: [{ ...client, choices: [...(client.choices ?? []), "cursor"], optional: true, many: true }],
    flags: install,
    examples: [
      ["kedge install", "every client on the PATH; asks, or takes --yes"],
      ["kedge install claude-code", "hooks alone: no tools, no prompt tokens"],
      ["kedge install claude-code --dry-run", "what would change"],
      ["kedge install codex --scope project", "only in this project"],
      ["kedge install opencode --exclusive", "our tools, and the client's own editing tools off"],
    ],
    notes: [
      "Shows the diff and asks on a terminal. Run it again after an upgrade. `kedge doctor` tries what is installed.",
    ],
    json: "{client, scope, parts, status, hook, files: [{path, outcome, backup, diff}], notes}",
  },
  {
    name: "uninstall",
    beside: "install",
    summary: "take the guard out again",
    positionals: [client],
    flags: uninstall,
    examples: [
      ["kedge uninstall claude-code", "byte for byte as it was"],
      ["kedge uninstall opencode --tools", "only our tools; the guard stays"],
    ],
    json: "{client, scope, status, files: [{path, outcome, diff}]}",
  },
  {
    name: "doctor",
    summary: "check the installation and say what to do",
    together: "check the installation; completions for a shell",
    ...{ records: true, positionals: [], flags: [json] },
    examples: [["kedge doctor", "exit status 0 only if all is well; with --store also that store"]],
    json: "a line for each finding: {check, ok, found, advice}",
  },
  {
    name: "demo",
    summary: "two agents and one file, in a scratch folder",
    together: "see it work: two agents and one file, a git history",
    positionals: [],
    flags: [
      { name: "fast", help: "without pauses" },
      { name: "ui", help: "a minute of three agents, on the page of kedge ui" },
      { name: "no-open", help: "with --ui: print the address and start no browser" },
      { name: "port", value: "N", help: "with --ui: listen here (default: a free port)" },
      json,
    ],
    examples: [
      ["kedge demo", "less than 20 seconds"],
      ["kedge demo --ui", "the live view before you install anything"],
    ],
    json: "a line for each command: {step, command, status, stdout, stderr}",
  },
  ...studies,
  {
    name: "completion",
    beside: "doctor",
    summary: "completions for a shell",
    positionals: [{ name: "SHELL", choices: shells }],
    flags: [json],
    examples: [
      ["kedge completion bash > ~/.local/share/bash-completion/completions/kedge", "bash"],
      ["kedge completion zsh > ~/.zfunc/_kedge", "zsh, with ~/.zfunc in fpath"],
      ["kedge completion fish > ~/.config/fish/completions/kedge.fish", "fish"],
    ],
    notes: ["Make the folder first if it is not there (mkdir -p), and open a new shell."],
    json: "{shell, script}",
  },
];

export const commands: readonly Command[] = [...reading, ...writing, ...record, ...ofAuthors, ...doors];

export function commandNamed(name: string): Command | undefined {
  return commands.find((command) => command.name === name);
}
