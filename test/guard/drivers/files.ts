/** How clients' tools look at files and change them: as text, by plain replacement. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Replacement, Who } from "./driver.js";

export interface Text {
  /** With line ends as \n. */
  readonly text: string;
  readonly crlf: boolean;
  readonly bom: boolean;
}

export const at = (who: Who, path: string): string => resolve(who.cwd, path);

/** As UTF-8, whatever it is. null: there is no file. */
export function load(path: string): Text | null {
  if (!existsSync(path)) return null;
  const raw = readFileSync(path, "utf8");
  const bom = raw.startsWith("\ufeff");
  return { text: raw.slice(bom ? 1 : 0).replaceAll("\r\n", "\n"), crlf: raw.includes("\r\n"), bom };
}

/** With the line ends and the mark that it had. */
export function store(path: string, text: string, before: Text | null): void {
  mkdirSync(dirname(path), { recursive: true });
  const ended = before?.crlf ? text.replaceAll("\n", "\r\n") : text;
  writeFileSync(path, `${before?.bom ? "\ufeff" : ""}${ended}`);
}

export function linesOf(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

export interface Failure {
  readonly failed: string;
}

/** One replacement after the other; all or nothing. `loose`: blanks around lines do not count where it fits nowhere. */
export function replaced(text: string, edits: readonly Replacement[], loose = false): string | Failure {
  let now = text;
  for (const edit of edits) {
    const { old, new: fresh, all } = edit;
    const parts = now.split(old);
    if (old === "") return { failed: "Nothing to replace." };
    if (parts.length === 1) {
      const made = loose ? fitted(now, edit) : null;
      if (made === null) return { failed: "String to replace not found in file." };
      now = made;
      continue;
    }
    if (parts.length > 2 && !all)
      return { failed: `Found ${parts.length - 1} matches of the string to replace.` };
    now = parts.join(fresh);
  }
  return now;
}

function fitted(text: string, { old, new: fresh }: Replacement): string | null {
  const [lines, wanted] = [text.split("\n"), old.split("\n").map((line) => line.trim())];
  const places = lines.flatMap((_, start) =>
    wanted.every((line, index) => line === lines[start + index]?.trim()) ? [start] : [],
  );
  const [place] = places;
  if (place === undefined || places.length > 1) return null;
  return [...lines.slice(0, place), ...fresh.split("\n"), ...lines.slice(place + wanted.length)].join("\n");
}

export interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  readonly status: number;
}

/** Nothing of the person's own settings. */
const quiet = {
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_SYSTEM: "/dev/null",
  GIT_AUTHOR_NAME: "one",
  GIT_AUTHOR_EMAIL: "one@example.com",
  GIT_COMMITTER_NAME: "one",
  GIT_COMMITTER_EMAIL: "one@example.com",
};

export function shell(command: string, cwd: string): Ran {
  const env = { ...process.env, ...quiet };
  const { stdout, stderr, status } = spawnSync("bash", ["-c", command], { cwd, encoding: "utf8", env });
  return { stdout, stderr, status: status ?? 1 };
}

export interface Hit {
  /** Absolute. */
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

export const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory();

/** Lines with the text in them, of a file or of the files in a folder. */
export function searched(pattern: string, path: string): Hit[] {
  const files = isFolder(path) ? readdirSync(path).map((name) => join(path, name)) : [path];
  return files
    .filter((file) => !isFolder(file))
    .flatMap((file) => linesOf(load(file)?.text ?? "").map((text, at) => ({ file, line: at + 1, text })))
    .filter(({ text }) => text.includes(pattern));
}

/** The end of a long text, as much as the tools of some clients show: whole lines, so many of them and so many bytes. */
export function tailOf(text: string): {
  readonly shown: string;
  readonly first: number;
  readonly all: number;
} {
  const lines = text.split("\n");
  let first = Math.max(0, lines.length - 2000);
  while (lines.slice(first).join("\n").length > 50 * 1024) first++;
  return { shown: lines.slice(first).join("\n"), first: first + 1, all: lines.length };
}
