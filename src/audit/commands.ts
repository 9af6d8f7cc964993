/** What shell commands may have done to files, by their words alone: nothing is run. */
import { basename } from "node:path";

/** Programs that write the files they name, or what is sent into them. */
const writing =
  /(?:^|[\s;&|(])(?:sed\s+(?:-\w*\s+)*-\w*i|perl\s+-\w*i|tee\s|patch\s|truncate\s|dd\s|git\s+(?:-\S+\s+)*(?:apply|am)\b|apply_?patch\b)/;
/** Into a file, not into another stream. */
const redirected = /(?:^|[^0-9&<>=-])(?:1|&)?>>?\s*(?![&>(\s])(?!\/dev\/)["']?[\w./~$"'-]+/;
const scripted =
  /\b(?:python3?|node|ruby|perl|php)\b[\s\S]*(?:\.write\(|write_text\(|writeFile|File\.write|open\([^)]*["'][wa]\+?["'])/;
/** Files are made to be others, moved or taken away. */
const replacing = /(?:^|[\s;&|(])(?:mv|cp|rm|unlink|rsync)\s/;
/** Programs that may write any file of the tree. */
const treeWide =
  /\bgit\s+(?:-\S+\s+)*(?:checkout|switch|restore|stash|reset|merge|rebase|pull|clean|revert|cherry-pick|apply|am)\b|\b(?:prettier|eslint|biome|ruff|black|gofmt|rustfmt|clang-format|cargo\s+f(?:mt|ix)|go\s+fmt|isort|autopep8|stylelint|rubocop|ktlint|dart\s+format|format|fmt|lint|fix|codemod|generate)\b/;
/** Quoted texts are no operators. */
const quoted = /'[^']*'|"(?:[^"\\]|\\.)*"/g;

/** A change of files that went by the shell and not by an editing tool. */
export function isShellChange(command: string): boolean {
  if (scripted.test(command) || writing.test(command)) return true;
  return redirected.test(
    command.replace(/<<-?\s*(['"]?)(\w+)\1[\s\S]*?\n\s*\2\b/g, "").replace(quoted, '""'),
  );
}

/** How likely a command has changed a file: 2, it names the file; 1, it may write any; 0, nothing says so. */
export function suspicion(command: string, result: string, path: string): 0 | 1 | 2 {
  const name = basename(path);
  // A client's remark on files that a command changed.
  if (/modified \d+ files? you've previously read/.test(result) && result.includes(name)) return 2;
  const mayWrite = isShellChange(command) || replacing.test(command) || treeWide.test(command);
  if (mayWrite && name !== "" && command.includes(name)) return 2;
  return treeWide.test(command) ? 1 : 0;
}

/** The work so far is in a commit. */
export function isCommit(command: string): boolean {
  return /\bgit\s+(?:-\S+\s+)*commit\b/.test(command);
}

/** Only looks at files, as one command; what it shows. */
export function shownFile(command: string): string | null {
  const found = /^\s*(?:cat|nl|bat|less|more|head|tail|sed\s+-n)\b([^|;&><\n]*)$/.exec(command);
  const words = found?.[1]?.match(/'[^']*'|"[^"]*"|\S+/g) ?? [];
  const paths = words.filter((word) => !/^-/.test(word)).map((word) => word.replace(/^['"]|['"]$/g, ""));
  const last = paths.at(-1);
  return last === undefined || /^\d+(?:,\d+)?p?$/.test(last) ? null : last;
}
