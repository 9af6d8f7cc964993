import { type Command, type Flag, flagsOf, general, type Positional } from "../flag-types.js";
import { commands } from "./command-table.js";

/** A completion script, made from the table of commands. */
export function completionScript(shell: string): string {
  if (shell === "bash") return bash();
  return shell === "zsh" ? zsh() : fish();
}

const allFlags: readonly Flag[] = [
  ...new Map([...commands.flatMap(flagsOf), ...general].map((flag) => [flag.name, flag])).values(),
];
const words = (list: readonly string[]): string => list.join(" ");
const names: readonly string[] = [...commands.map(({ name }) => name), "help"];

/** Says how the value of a flag is completed: by files if the name says so. */
function isFileFlag({ value }: Flag): boolean {
  return value === "F";
}

function bash(): string {
  const valued = allFlags.filter(({ value }) => value);
  const flagCases = valued.map((flag) => {
    const wordOf = bashNames(flag);
    if (flag.choices) return `    ${wordOf}) __kedge_words "${words(flag.choices)}"; return ;;`;
    if (isFileFlag(flag)) return `    ${wordOf}) __kedge_files -f; return ;;`;
    if (flag.value === "DIR") return `    ${wordOf}) __kedge_files -d; return ;;`;
    return `    ${wordOf}) COMPREPLY=(); return ;;`;
  });
  const commandCases = commands.map((command) => {
    const flags = flagWords(command);
    const [first] = command.positionals;
    const argument = first?.choices
      ? `__kedge_words "${words(first.choices)}"`
      : bashFiles(command.positionals.find(({ is }) => is));
    return `    ${command.name}) if [[ $current == -* ]]; then __kedge_words "${flags}"; else ${argument}; fi ;;`;
  });
  return `# bash completion for kedge, made by: kedge completion bash
__kedge_words() { COMPREPLY=($(compgen -W "$1" -- "$current")); }
__kedge_files() { compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen "$1" -- "$current"); }
_kedge() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" command="" before="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$before" in ${valued.map(bashNames).join("|")}) before=""; continue ;; esac
    if [[ $word != -* ]]; then command="$word"; break; fi
    before="$word"
  done
  case "$previous" in
${flagCases.join("\n")}
  esac
  case "$command" in
    "") __kedge_words "${words(names)} --help --version" ;;
    help) __kedge_words "${words([...names.slice(0, -1), "flags", "exit", "json"])}" ;;
${commandCases.join("\n")}
  esac
}
complete -F _kedge kedge
`;
}

function bashNames({ name, short }: Flag): string {
  return `--${name}${short ? `|-${short}` : ""}`;
}

function bashFiles(positional: Positional | undefined): string {
  if (!positional) return "COMPREPLY=()";
  return `__kedge_files ${positional.is === "folder" ? "-d" : "-f"}`;
}

function flagWords(command: Command): string {
  return words(flagsOf(command).flatMap(({ name, short }) => [`--${name}`, ...(short ? [`-${short}`] : [])]));
}

function zsh(): string {
  const described = commands.map(({ name, summary }) => `    '${name}:${zshText(summary)}'`);
  const cases = commands.map((command) => {
    const flags = [...flagsOf(command), ...general].map((flag) => `        ${zshFlag(flag)}`);
    const positionals = command.positionals.map((one, at) => `        ${zshPositional(one, at + 1)}`);
    return `      ${command.name}) _arguments -s \\\n${[...flags, ...positionals].join(" \\\n")} ;;`;
  });
  return `#compdef kedge
# zsh completion for kedge, made by: kedge completion zsh
_kedge() {
  local context state state_descr line
  typeset -A opt_args
  local -a commands
  commands=(
${described.join("\n")}
    'help:how a command is used'
  )
  _arguments -C '1: :->command' '*:: :->arguments'
  case $state in
    command) _describe -t commands 'kedge command' commands ;;
    arguments) case $line[1] in
${cases.join("\n")}
      help) _arguments "1: :(\${commands%%:*} flags exit json)" ;;
    esac ;;
  esac
}
if [ "$funcstack[1]" = "_kedge" ]; then _kedge "$@"; else compdef _kedge kedge; fi
`;
}

/** Inside single quotes, and inside the brackets and colons of a specification. */
function zshText(text: string): string {
  return text.replace(/'/g, "'\\''").replace(/[[\]:]/g, "\\$&");
}

function zshFlag(flag: Flag): string {
  const repeat = flag.multiple ? "*" : "";
  const value = flag.value ? `:${flag.value}:${zshValue(flag)}` : "";
  const described = `[${zshText(flag.help)}]${value}'`;
  if (!flag.short) return `'${repeat}--${flag.name}${described}`;
  return `'(-${flag.short} --${flag.name})'{-${flag.short},--${flag.name}}'${described}`;
}

function zshValue(flag: Flag): string {
  if (flag.choices) return `(${words(flag.choices)})`;
  if (isFileFlag(flag)) return "_files";
  return flag.value === "DIR" ? "_files -/" : " ";
}

function zshPositional({ name, choices, is, many }: Positional, at: number): string {
  const action = choices ? `(${words(choices)})` : is === "folder" ? "_files -/" : is ? "_files" : " ";
  return `'${many ? "*" : at}:${zshText(name)}:${action}'`;
}

function fish(): string {
  const lines = ["# fish completion for kedge, made by: kedge completion fish", "complete -c kedge -f"];
  const first = "-n __fish_use_subcommand";
  for (const { name, summary } of commands)
    lines.push(`complete -c kedge ${first} -a ${name} -d ${fishText(summary)}`);
  lines.push(`complete -c kedge ${first} -a help -d ${fishText("how a command is used")}`);
  lines.push(
    `complete -c kedge -n '__fish_seen_subcommand_from help' -a '${words([...names.slice(0, -1), "flags", "exit", "json"])}'`,
  );
  for (const command of commands) {
    const inside = `-n '__fish_seen_subcommand_from ${command.name}'`;
    for (const { choices, is } of command.positionals) {
      if (choices) lines.push(`complete -c kedge ${inside} -a '${words(choices)}'`);
      else if (is)
        lines.push(
          `complete -c kedge ${inside} ${is === "folder" ? "-a '(__fish_complete_directories)'" : "-F"}`,
        );
    }
    for (const flag of flagsOf(command)) lines.push(`complete -c kedge ${inside} ${fishFlag(flag)}`);
  }
  for (const flag of general) lines.push(`complete -c kedge ${fishFlag(flag)}`);
  return `${lines.join("\n")}\n`;
}

function fishFlag(flag: Flag): string {
  const short = flag.short ? ` -s ${flag.short}` : "";
  const value = !flag.value
    ? ""
    : flag.choices
      ? ` -x -a '${words(flag.choices)}'`
      : isFileFlag(flag)
        ? " -r -F"
        : flag.value === "DIR"
          ? " -x -a '(__fish_complete_directories)'"
          : " -x";
  return `-l ${flag.name}${short}${value} -d ${fishText(flag.help)}`;
}

function fishText(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}
