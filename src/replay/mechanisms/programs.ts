import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gitCommand } from "../../git/index.js";
import { findProgram, findWorkspace } from "../../host/index.js";
import { editText, type Hunk, linesOf, toLf } from "../cases/case.js";
import { untilExit } from "../cases/git-source.js";
import type { Mechanism } from "../score.js";
import { endsAside } from "./ends.js";

/** Runs a program in a folder without a repository; status 127 if it is not installed. */
function run(
  name: string,
  args: readonly string[],
  cwd: string,
): Promise<{ status: number; output: Buffer }> {
  const command = name === "git" ? gitCommand({ cwd }, args) : commandOf(name, args);
  if (command === null) return Promise.resolve({ status: 127, output: Buffer.alloc(0) });
  return new Promise((resolve, reject) => {
    const child = spawn(command.program, command.args, {
      ...{ cwd, env: command.env, stdio: ["ignore", "pipe", "ignore"] },
    });
    const over = untilExit(() => child.kill("SIGKILL"));
    const chunks: Buffer[] = [];
    child.stdout?.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.on("error", reject);
    child.on("close", (status) => {
      over();
      resolve({ status: status ?? 1, output: Buffer.concat(chunks) });
    });
  });
}

function commandOf(name: string, args: readonly string[]): ReturnType<typeof gitCommand> {
  const outside = [findWorkspace(process.cwd()).root];
  const program = findProgram(name, { searchPath: process.env.PATH, outside });
  return program === null ? null : { program, args: [...args], env: { ...process.env, LC_ALL: "C" } };
}

export async function isInstalled(program: string): Promise<boolean> {
  return run(program, ["--version"], tmpdir()).then(
    ({ status }) => status === 0,
    () => false,
  );
}

const around = 3;

/** The edits as a unified diff with three lines of context. */
export function unified(base: string, edits: readonly Hunk[]): string {
  const lines = linesOf(base);
  const groups: Hunk[][] = [];
  for (const hunk of edits.toSorted((one, two) => one.start - two.start)) {
    const last = groups.at(-1)?.at(-1);
    if (last && hunk.start - (last.start + last.count) <= 2 * around) groups.at(-1)?.push(hunk);
    else groups.push([hunk]);
  }
  let shift = 0;
  const out = ["--- a/file", "+++ b/file"];
  for (const group of groups) {
    const [first, last] = [group[0] as Hunk, group.at(-1) as Hunk];
    const from = Math.max(0, first.start - around);
    const to = Math.min(lines.length, last.start + last.count + around);
    const body: string[] = [];
    let at = from;
    for (const { start, count, lines: added } of group) {
      for (; at < start; at++) body.push(` ${lines[at]}`);
      for (; at < start + count; at++) body.push(`-${lines[at]}`);
      body.push(...added.map((line) => `+${line}`));
    }
    for (; at < to; at++) body.push(` ${lines[at]}`);
    const grown = group.reduce((sum, hunk) => sum + hunk.lines.length - hunk.count, 0);
    const size = to - from + grown;
    out.push(
      `@@ -${to > from ? from + 1 : from},${to - from} +${size > 0 ? from + shift + 1 : from + shift},${size} @@`,
      ...body,
    );
    shift += grown;
  }
  return `${out.join("\n")}\n`;
}

interface Program {
  readonly name: string;
  readonly short: string;
  readonly about: string;
  /** Arguments for a folder with `file`, `base`, `agent` and `edit.patch`. */
  readonly command: readonly [string, ...string[]];
  /** The result comes on stdout instead of in `file`. */
  readonly prints?: boolean;
}

function scratch(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "kedge-replay-"));
  const clean = (): void => rmSync(path, { recursive: true, force: true });
  const over = untilExit(clean);
  return {
    path,
    remove() {
      clean();
      over();
    },
  };
}

function program({ command, prints = false, ...named }: Program): Mechanism {
  let folder: ReturnType<typeof scratch> | null = null;
  return endsAside({
    ...named,
    start(base) {
      folder ??= scratch();
      const { path } = folder;
      const at = (name: string): string => join(path, name);
      return {
        async edit(current, edits) {
          writeFileSync(at("file"), current);
          if (prints) {
            writeFileSync(at("base"), base);
            writeFileSync(at("agent"), editText(base, edits));
          } else writeFileSync(at("edit.patch"), unified(toLf(base), edits));
          const [name, ...args] = command;
          const { status, output } = await run(name, args, path);
          for (const left of ["file.orig", "file.rej"]) rmSync(at(left), { force: true });
          if (status !== 0) return null;
          return prints ? String(output) : readFileSync(at("file"), "utf8");
        },
      };
    },
    close() {
      folder?.remove();
      folder = null;
    },
  });
}

export const programs: readonly Mechanism[] = [
  program({
    ...{ name: "patch", short: "patch", about: "GNU patch, two lines of fuzz, as it comes" },
    command: ["patch", "-s", "-f", "--no-backup-if-mismatch", "file", "edit.patch"],
  }),
  program({
    ...{ name: "git apply", short: "apply", about: "unified diff with three lines of context" },
    command: ["git", "apply", "--whitespace=nowarn", "edit.patch"],
  }),
  program({
    ...{
      name: "git merge-file",
      short: "merge",
      about: "three-way merge from the text that was read; the reference",
    },
    ...{ command: ["git", "merge-file", "-p", "-q", "file", "base", "agent"], prints: true },
  }),
];
