import { type Code, codes, exitStatus } from "../edits/index.js";

/** How a call ended, as a shell sees it. The codes' own statuses stand in one table, in core. */
export const done = 0;
export const failed = 1;
export const usage = 2;
export const interrupted = 130;

/** The status of a result by its details: a refusal's code decides. */
export function statusOf(details: unknown): number {
  const { status, code } = details as { status?: string; code?: Code };
  return status === "refused" && code !== undefined && code in codes ? exitStatus(code) : done;
}
/** The types of commands and flags, and the flags that several commands share. */

export interface Flag {
  readonly name: string;
  readonly short?: string;
  /** Names the value; a flag without a value is a switch. */
  readonly value?: string;
  readonly choices?: readonly string[];
  readonly multiple?: boolean;
  readonly help: string;
}

export interface Positional {
  readonly name: string;
  readonly optional?: boolean;
  readonly many?: boolean;
  readonly choices?: readonly string[];
  /** Decides which paths a completion offers. */
  readonly is?: "file" | "folder" | "path";
  /** May be - for stdin. */
  readonly stdin?: boolean;
}

export interface Command {
  readonly name: string;
  readonly summary: string;
  /** The command in whose row the overview mentions it, and what that row says of them together. */
  readonly beside?: string;
  readonly together?: string;
  readonly positionals: readonly Positional[];
  readonly flags: readonly Flag[];
  /** Reads or writes files: takes the flags of all such commands as well. */
  readonly touches?: boolean;
  /** Asks the record, as those that touch files do: takes the flags that say where it is. */
  readonly records?: boolean;
  readonly examples: readonly (readonly [line: string, what: string])[];
  readonly notes?: readonly string[];
  /** Describes the output of `--json`. */
  readonly json?: string;
}

/** Clients whose sessions can be audited. */
export const audited = ["claude-code", "opencode", "codex", "gemini-cli", "pi"];
const clients = ["claude-code", "opencode", "codex", "gemini-cli", "pi", "qwen-code", "copilot"];
export const shells = ["bash", "zsh", "fish"];
export const schemeNames = ["hex6", "hex4", "lean"];

export const json: Flag = { name: "json", help: "print JSON, one object a line" };
export const dryRun: Flag = { name: "dry-run", help: "write nothing; print the diff" };
export const from: Flag = {
  name: "from",
  value: "F",
  help: "take the text from file F, or from stdin if F is -",
};
export const anchors: Flag = {
  name: "anchors",
  value: "SCHEME",
  choices: schemeNames,
  help: "how anchors look (default hex6)",
};
export const unmoved: Flag = { name: "unmoved", help: "also refuse an edit whose lines have merely moved" };
export const since: Flag = {
  name: "since",
  value: "TIME",
  help: "only what is newer: 30m, 2h, 7d or a date",
};
export const file: Positional = { name: "FILE", is: "file" };
export const client: Positional = { name: "CLIENT", choices: clients };

const scope: Flag = {
  name: "scope",
  value: "SCOPE",
  choices: ["user", "project"],
  help: "whose configuration (default user)",
};
const changing: readonly Flag[] = [
  scope,
  { name: "dry-run", help: "only show what would change" },
  { name: "yes", help: "do not ask" },
  json,
];

export const install: readonly Flag[] = [
  { name: "tools", help: "also the MCP server with its tools" },
  { name: "exclusive", help: "with --tools; also turn the client's own editing tools off" },
  ...changing,
];

export const uninstall: readonly Flag[] = [
  { name: "tools", help: "only the MCP server" },
  { name: "exclusive", help: "only give the client its own editing tools back" },
  ...changing,
];

/** Flags of every command that asks the record. */
export const storing: readonly Flag[] = [
  { name: "store", value: "URL", help: "the record is in this PostgreSQL database: postgres://…" },
  { name: "tree", value: "NAME", help: "with --store: the name of the tree there (default: its folder's)" },
  {
    name: "lease",
    value: "SECONDS",
    help: "with --store: how long a lock outlives a process that is not heard of (default 15)",
  },
];

/** Flags of every command that reads or writes files. */
export const touching: readonly Flag[] = [
  { name: "session", value: "ID", help: "who is calling: what ID was shown decides what ID may edit" },
  { name: "stateless", help: "no record of what was shown: an anchor must fit the line, or one near it" },
  {
    name: "gate",
    value: "POLICY",
    choices: ["lines", "file", "off"],
    help: "what must have been shown before an edit (default lines)",
  },
  {
    name: "on-stale",
    value: "POLICY",
    choices: ["relocate", "refuse"],
    help: "refuse: nobody else may have changed the file since (default relocate)",
  },
  { name: "encoding", value: "NAME", help: "of files that are not Unicode, like windows-1252" },
  { name: "root", value: "DIR", multiple: true, help: "touch nothing outside DIR; may be repeated" },
];

/** Understood before and after every command. */
export const general: readonly Flag[] = [
  { name: "help", short: "h", help: "how a command is used" },
  { name: "version", short: "V", help: "the version" },
];

export const exitStatuses: readonly (readonly [status: number, meaning: string])[] = [
  [0, "done"],
  [1, "failed"],
  [2, "usage"],
  [4, "refused by the gate"],
  [5, "stale or mismatching anchor, with a diff on stderr"],
  [6, "busy"],
  [130, "interrupted"],
];

/** Its own flags, then those of its kind. */
export function flagsOf(command: Command): readonly Flag[] {
  return [...command.flags, ...sharedFlags(command)];
}

/** The flags that it has in common with other commands. */
export function sharedFlags({ touches, records }: Command): readonly Flag[] {
  return [...(touches ? touching : []), ...(touches || records ? storing : [])];
}
