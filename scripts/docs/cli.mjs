// docs/cli.md: every command and flag, from the table in src/cli/table/command-table.ts.
import { load } from "../sources.mjs";

const cell = (text) => text.replaceAll("|", "\\|");

export default async function cli() {
  const { commands } = await load("src/cli/table/command-table.ts");
  const { touching, general, exitStatuses } = await load("src/cli/flag-types.ts");
  const { flagName, usageOf } = await load("src/cli/table/help.ts");

  const flagTable = (flags) => [
    "| flag | meaning |",
    "|---|---|",
    ...flags.map((flag) => `| \`${cell(flagName(flag))}\` | ${cell(flag.help)} |`),
  ];
  const section = (command) => [
    `## kedge ${command.name}`,
    "",
    `${sentence(command.summary)}`,
    "",
    ...command.examples.flatMap(([line, what]) => [`    # ${what}`, `    ${line}`]),
    "",
    `Usage: \`${usageOf(command)}\`${choicesOf(command)}`,
    "",
    ...(command.flags.length > 0 ? [...flagTable(command.flags), ""] : []),
    ...(command.touches
      ? ["Also the [flags of commands that read or write](#flags-of-commands-that-read-or-write).", ""]
      : []),
    ...(command.notes ? [command.notes.join(" "), ""] : []),
    ...(command.json ? [`\`--json\` prints ${jsonShape(command.json)}.`, ""] : []),
  ];
  const lines = [
    "# Command line",
    "",
    "<!-- Made from src/cli/table/command-table.ts by scripts/docs/cli.mjs. Do not edit. -->",
    "",
    "stdout is data: listings, results, JSON. stderr is talk: refusals, diffs of what changed, errors. Colour only on a",
    "terminal, and not with `NO_COLOR`. `-` is stdin. A broken pipe is no error. A command that a build does not have says",
    "so, with exit status 1. The first run of a command leaves its machine code in the state folder (`code/`), so that later",
    "ones start faster; it can be deleted at any time.",
    "",
    ...commands.map(({ name, summary }) => `- [\`kedge ${name}\`](#kedge-${name}): ${summary}`),
    "",
    "## Exit status",
    "",
    "| status | meaning |",
    "|---|---|",
    ...exitStatuses.map(([status, meaning]) => `| ${status} | ${meaning} |`),
    "",
    "[errors.md](errors.md) has the codes behind them.",
    "",
    "## Flags of commands that read or write",
    "",
    ...flagTable(touching),
    "",
    "Flags come before the environment, then `kedge/config.json` in the user's configuration folder. `.kedge.json` in the",
    "workspace only makes settings stricter than that file ([guard.md](guard.md)). Without `--root` a path argument is its own permission. Every command takes:",
    "",
    ...flagTable(general),
    "",
    ...commands.flatMap(section),
  ];
  return [{ path: "docs/cli.md", text: `${lines.join("\n").trimEnd()}\n` }];
}

const sentence = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** Shapes in code, each with what is nested in it; words as they are. */
function jsonShape(text) {
  let depth = 0;
  const marked = [...text].map((letter) => {
    if (letter === "{") return depth++ === 0 ? "`{" : "{";
    return letter === "}" && --depth === 0 ? "}`" : letter;
  });
  return marked.join("");
}

function choicesOf({ positionals }) {
  const chosen = positionals.filter(({ choices }) => choices);
  return chosen
    .map(({ name, choices }) => `; ${name} is ${choices.map((one) => `\`${one}\``).join(", ")}`)
    .join("");
}
