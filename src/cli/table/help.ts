import {
  type Command,
  exitStatuses,
  type Flag,
  general,
  json,
  sharedFlags,
  storing,
  touching,
} from "../flag-types.js";
import { type Stream, wrap } from "../print/output.js";
import { commandNamed, commands } from "./command-table.js";

/** The stream of a help page, and the commands that this build has. */
export interface HelpSetup {
  readonly stream: Stream;
  readonly has: (command: string) => boolean;
}

const firstExamples: readonly (readonly [string, string])[] = [
  ["kedge read src/a.ts", "lines with anchors: 12#0f0dd9|foo"],
  ["kedge edit src/a.ts 12#0f0dd9 'new text'", "that line, wherever it is now"],
  ["kedge grep -i todo src", "what it shows can be edited"],
];

/** One screen of 80 by 24. */
export function overview({ stream, has }: HelpSetup): string {
  const { paint } = stream;
  const rows = commands
    .filter(({ beside }) => beside === undefined)
    .map((command) => {
      const group = [command, ...commands.filter(({ beside }) => beside === command.name)];
      const mark = group.some(({ name }) => has(name)) ? "" : " *";
      return [group.map(({ name }) => name).join(" ") + mark, command.together ?? command.summary] as const;
    });
  const absent = rows.some(([names]) => names.endsWith("*")) ? "; * not in this build" : "";
  return [
    `${paint("bold", "kedge")}: edit files by line anchors that prove what was read`,
    "",
    ...columns(firstExamples, stream, "cyan"),
    "",
    ...columns(rows, stream),
    "",
    `more: kedge COMMAND --help, kedge help flags|exit|json${absent}`,
  ].join("\n");
}

export function commandHelp(command: Command, { stream, has }: HelpSetup): string {
  const { paint } = stream;
  const flags = command.flags.map(flagRow);
  const others = sharedFlags(command).filter(({ name }) => !command.flags.some((flag) => flag.name === name));
  const more = `and ${others.map(({ name }) => `--${name}`).join(" ")} (help flags)`;
  const missing = has(command.name) ? [] : ["", paint("yellow", `This build does not have it yet.`)];
  return [
    `${paint("bold", `kedge ${command.name}`)}: ${command.summary}`,
    ...missing,
    "",
    ...examples(command, stream),
    "",
    `Usage: ${usageOf(command)}`,
    ...choicesOf(command).flatMap((line) => wrap(line, stream.columns)),
    ...(flags.length > 0 ? ["", ...columns(flags, stream)] : []),
    ...(others.length > 0 ? wrap(more, stream.columns - 2).map((line) => `  ${line}`) : []),
    ...(command.notes ? ["", ...wrap(command.notes.join(" "), stream.columns)] : []),
  ].join("\n");
}

/** The flags that all commands that read or write share. */
export function flagsHelp({ stream }: HelpSetup): string {
  const users = commands.filter(({ touches }) => touches).map(({ name }) => name);
  const settings =
    "Flags come before the environment (KEDGE_SESSION, KEDGE_STATE and others), then kedge/config.json in your " +
    "configuration folder. .kedge.json in the workspace only makes settings stricter than that file. Without --root a path argument is its own permission.";
  return [
    `Flags of ${users.join(", ")}:`,
    "",
    ...columns(touching.map(flagRow), stream),
    "",
    "Flags of these, and of all that ask the record:",
    "",
    ...columns(storing.map(flagRow), stream),
    "",
    "Flags of every command:",
    "",
    ...columns([...general, json].map(flagRow), stream),
    "",
    ...wrap(settings, stream.columns),
  ].join("\n");
}

export function exitHelp({ stream }: HelpSetup): string {
  const rows = exitStatuses.map(([status, meaning]) => [String(status), meaning] as const);
  const streams =
    "stdout is data: listings, results, JSON. stderr is talk: refusals, diffs of what changed, errors. " +
    "Colour only on a terminal, and not with NO_COLOR.";
  return ["Exit status:", "", ...columns(rows, stream), "", ...wrap(streams, stream.columns)].join("\n");
}

/** Lists the output of `--json`, command by command. */
export function jsonHelp({ stream }: HelpSetup): string {
  const rows = commands.flatMap(({ name, json: shape }) => (shape ? [[name, shape] as const] : []));
  const refusal =
    'A refusal is printed as {status: "refused", code, path, message, mismatches, affectedRanges, reread, remaps, retry}, ' +
    "and its text on stderr.";
  return ["What --json prints:", "", ...columns(rows, stream), "", ...wrap(refusal, stream.columns)].join(
    "\n",
  );
}

/** The pages for programs; undefined if there is no such page. */
export function helpData(topic: string | null): unknown {
  if (topic === null || topic === "help") return commands;
  if (topic === "flags") return [...touching, ...storing, ...general, json];
  if (topic === "exit") return exitStatuses.map(([status, meaning]) => ({ status, meaning }));
  if (topic === "json") return Object.fromEntries(commands.map(({ name, json: shape }) => [name, shape]));
  return commandNamed(topic);
}

export function usageOf(command: Command): string {
  const words = command.positionals.map(({ name, optional, many }) => {
    const shown = many ? `${name}...` : name;
    return optional ? `[${shown}]` : shown;
  });
  const flags = command.flags.length > 0 ? ["[flags]"] : [];
  return ["kedge", command.name, ...words, ...flags].join(" ");
}

function choicesOf({ positionals }: Command): string[] {
  return positionals.flatMap(({ name, choices }) => (choices ? [`${name} is ${choices.join(", ")}.`] : []));
}

/** `-C, --context N`; choices stand in the place of the value. */
export function flagName({ name, short, value, choices }: Flag): string {
  const shown = value ? ` ${choices ? choices.join("|") : value}` : "";
  return `${short ? `-${short}, ` : ""}--${name}${shown}`;
}

function flagRow(flag: Flag): readonly [string, string] {
  return [flagName(flag), flag.help];
}

function examples(command: Command, { columns: width, paint }: Stream): string[] {
  return command.examples.flatMap(([line, what]) => {
    const fits = line.length + what.length + 6 <= width;
    return fits
      ? [`  ${paint("cyan", line)}  ${paint("dim", `# ${what}`)}`]
      : [`  ${paint("dim", `# ${what}`)}`, `  ${paint("cyan", line)}`];
  });
}

const widestName = 42;

/** Names and what they mean, the meaning wrapped in a column of its own. */
function columns(
  rows: readonly (readonly [string, string])[],
  { columns: width, paint }: Stream,
  colour: "bold" | "cyan" = "bold",
): string[] {
  const left = Math.min(widestName, Math.max(...rows.map(([name]) => name.length)));
  return rows.flatMap(([name, text]) => {
    const [first = "", ...rest] = wrap(text, Math.max(30, width - left - 4));
    const head = `  ${paint(colour, name)}${" ".repeat(Math.max(0, left - name.length))}  ${first}`;
    return [head, ...rest.map((line) => " ".repeat(left + 4) + line)];
  });
}
