/** The built program, run in a folder of its own. */
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { onTestFinished } from "vitest";
import { main } from "../../src/cli/index.js";
import { makeStream } from "../../src/cli/print/output.js";

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly input?: string | Uint8Array;
  /** Below the folder. */
  readonly cwd?: string;
  /** As somebody whom permissions bind, even if the tests run as root. */
  readonly unprivileged?: boolean;
}

const nobody = 65534;

/** Built from these very sources before the tests began (test/announce.ts). */
export const program: string = process.env.KEDGE_PROGRAM ?? resolve("dist/bin.cjs");

/** A workspace with files, and somebody called "tester" in it. Gone when the test is over. */
export class Place {
  readonly scratch: string = mkdtempSync(join(tmpdir(), "kedge-cli-"));
  readonly folder: string = join(this.scratch, "work");
  readonly state: string = join(this.scratch, "state");

  constructor(files: Readonly<Record<string, string | Uint8Array>> = {}) {
    mkdirSync(this.folder);
    for (const [name, content] of Object.entries(files)) this.put(name, content);
    onTestFinished(() => rmSync(this.scratch, { recursive: true, force: true }));
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  put(name: string, content: string | Uint8Array): void {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), content);
  }

  text(name: string): string {
    return readFileSync(this.path(name), "utf8");
  }

  /** Locks that somebody holds; names with a dot are the lock keeper's own. */
  locks(): string[] {
    return readdirSync(join(this.state, "locks")).filter((name) => !name.includes("."));
  }

  env(more: RunOptions["env"] = {}): NodeJS.ProcessEnv {
    const { HOME = "", PATH = "" } = process.env;
    const home = join(this.scratch, "home");
    return {
      ...{ PATH, HOME: HOME && home, XDG_CONFIG_HOME: join(home, "config"), KEDGE_STATE: this.state },
      ...{ KEDGE_SESSION: "tester", ...more },
    };
  }

  run(args: readonly string[], options: RunOptions = {}): Ran {
    const bound = options.unprivileged && process.getuid?.() === 0;
    if (bound) for (const folder of [this.scratch, this.folder]) chmodSync(folder, 0o777);
    const { status, stdout, stderr, error } = spawnSync(process.execPath, [program, ...args], {
      cwd: join(this.folder, options.cwd ?? "."),
      env: this.env(options.env),
      input: options.input ?? "",
      encoding: "utf8",
      maxBuffer: 1 << 28,
      ...(bound ? { uid: nobody, gid: nobody } : {}),
    });
    if (error) throw error;
    return { status, stdout, stderr };
  }

  /** A run that has to succeed; what it printed. */
  ok(...args: string[]): string {
    const { status, stdout, stderr } = this.run(args);
    if (status !== 0) throw new Error(`kedge ${args.join(" ")}: ${status}\n${stdout}${stderr}`);
    return stdout;
  }

  /** Without a process of its own: for what comes before the run that a test is about. What it printed. */
  async before(args: readonly string[], session = "tester"): Promise<string> {
    let printed = "";
    const env = this.env({ KEDGE_SESSION: session });
    const write = (bytes: Uint8Array) => {
      printed += new TextDecoder().decode(bytes);
    };
    const stream = makeStream({ env, write, isTerminal: false, columns: 80 });
    const output = { out: stream, err: stream };
    const common = { cwd: this.folder, doors: {}, program, version: () => "0", exit: () => {} };
    await main({ ...common, argv: args, env, output });
    return printed;
  }

  start(args: readonly string[], options: RunOptions = {}) {
    return spawn(process.execPath, [program, ...args], {
      cwd: join(this.folder, options.cwd ?? "."),
      env: this.env(options.env),
    });
  }

  /** A shell script with this program as `kedge`. */
  shell(script: string, options: RunOptions & { readonly shell?: string } = {}): Ran {
    const bin = join(this.scratch, "bin");
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, "kedge"), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`, {
      mode: 0o755,
    });
    const env = this.env({ ...options.env, PATH: `${bin}:${process.env.PATH}` });
    const { status, stdout, stderr } = spawnSync(options.shell ?? "/bin/sh", ["-c", script], {
      ...{ cwd: this.folder, env, input: options.input ?? "", encoding: "utf8" },
    });
    return { status, stdout, stderr };
  }
}

/** The anchors in a listing, by line number. */
export function anchorsIn(listing: string): Map<number, string> {
  const rows = stripVTControlCharacters(listing).matchAll(/^(?:>>> | {4})?((\d+)#[0-9a-f]{4,6})\|/gm);
  return new Map([...rows].map(([, anchor, line]) => [Number(line), anchor as string]));
}

/** Reads a file as "tester"; the anchor of a line. */
export async function reader(place: Place, ...args: string[]): Promise<(line: number) => string> {
  const anchors = anchorsIn(await place.before(["read", ...args]));
  return (line) => anchors.get(line) as string;
}

/** JSON, one value a line. */
export function jsonLines<T = Record<string, unknown>>(text: string): T[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as T);
}

export const four = "one\ntwo\nthree\nfour\n";
