/** Judges by their words alone what shell commands may have done to files: nothing is run. */
import { basename } from "node:path";

/** Programs that write the files they name, or what is sent into them. */
const writing =
  /(?:^|[\s;&|(])(?:sed\s+(?:-\w*\s+)*-\w*i|perl\s+-\w*i|tee\s|patch\s|truncate\s|dd\s|git\s+(?:-[Cc]\s+\S+\s+|-(?![Cc]\s)\S+\s+)*(?:apply|am)\b|apply_?patch\b)/;
/** A redirection into a file, not into another stream. */
const redirected = /(?:^|[^0-9&<>=-])(?:1|&)?>>?\s*(?![&>(\s])(?!\/dev\/)["']?[\w./~$"'-]+/;
const scripted =
  /\b(?:python3?|node|ruby|perl|php)\b[\s\S]*(?:\.write\(|write_text\(|writeFile|File\.write|open\([^)]*["'][wa]\+?["'])/;
/** Files are changed, moved or removed. */
const replacing = /(?:^|[\s;&|(])(?:mv|cp|rm|unlink|rsync)\s/;
/** Programs that may write any file of the tree. */
const treeWide =
  /\bgit\s+(?:-[Cc]\s+\S+\s+|-(?![Cc]\s)\S+\s+)*(?:checkout|switch|restore|stash|reset|merge|rebase|pull|clean|revert|cherry-pick|apply|am)\b|\b(?:prettier|eslint|biome|ruff|black|gofmt|rustfmt|clang-format|cargo\s+f(?:mt|ix)|go\s+fmt|isort|autopep8|stylelint|rubocop|ktlint|dart\s+format|format|fmt|lint|fix|codemod|generate)\b/;
/** Quoted texts are no operators. */
const quoted = /'[^']*'|"(?:[^"\\]|\\.)*"/g;

/** The text that a command carries in itself, behind the line that begins it. */
const hereText = /(<<-?\s*(['"]?)(\w+)\2[^\n]*)\n[\s\S]*?\n\s*\3\b/g;
/** The beginning of a command says what it does; the rest may be anything, of any length. */
const longestCommand = 20_000;

/** A change of files that went by the shell and not by an editing tool. */
export function isShellChange(command: string): boolean {
  const plain = command.slice(0, longestCommand);
  if (scripted.test(plain) || writing.test(plain)) return true;
  return redirected.test(plain.replace(hereText, "$1").replace(quoted, '""'));
}

/** A client's remark on files that a command changed. */
export function changeRemark(result: string): string | null {
  const at = result.indexOf(remark);
  return at >= 0 && remarked.test(result) ? result : null;
}

export const remark = " you've previously read";
const remarked = /modified \d+ files? you've previously read/;

/** How likely a command has changed a file: 2, it names the file; 1, it may write any; 0, nothing says so. */
export type Suspicion = (path: string) => 0 | 1 | 2;

/** null: nothing says that the command has changed any file. */
export function suspicion(command: string, remark: string | null): Suspicion | null {
  const plain = command.slice(0, longestCommand);
  const isTreeWide = treeWide.test(plain);
  const mayWrite = isTreeWide || replacing.test(plain) || isShellChange(plain);
  if (!mayWrite && remark === null) return null;
  return (path) => {
    const name = basename(path);
    if (remark?.includes(name) || (mayWrite && name !== "" && command.includes(name))) return 2;
    return isTreeWide ? 1 : 0;
  };
}

/** The work so far is in a commit. */
export function isCommit(command: string): boolean {
  return /\bgit\s+(?:-[Cc]\s+\S+\s+|-(?![Cc]\s)\S+\s+)*commit\b/.test(command.slice(0, longestCommand));
}

/** Commands that move one thing: its path before and after. */
export function movesIn(command: string): (readonly [from: string, to: string])[] {
  return command
    .slice(0, longestCommand)
    .split(/&&|\|\||[;|\n]/)
    .flatMap((part) => {
      const found = /^\s*(?:git\s+)?mv\s+(.*)$/.exec(part);
      const words = (found?.[1]?.match(/'[^']*'|"[^"]*"|\S+/g) ?? []).filter((word) => !word.startsWith("-"));
      const [from, to, ...more] = words.map((word) =>
        word.replace(/^['"]|['"]$/g, "").replace(/(?<=.)\/$/, ""),
      );
      return from === undefined || to === undefined || more.length > 0 ? [] : [[from, to] as const];
    });
}

/** Only looks at files, as one command; what it shows. */
export function shownFile(command: string): string | null {
  const found = /^\s*(?:cat|nl|bat|less|more|head|tail|sed\s+-n)\b([^|;&><\n]*)$/.exec(command);
  const words = found?.[1]?.match(/'[^']*'|"[^"]*"|\S+/g) ?? [];
  const paths = words.filter((word) => !/^-/.test(word)).map((word) => word.replace(/^['"]|['"]$/g, ""));
  const last = paths.at(-1);
  return last === undefined || /^\d+(?:,\d+)?p?$/.test(last) ? null : last;
}
