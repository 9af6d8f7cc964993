/** A project to attack, with something beside it that nobody may touch. */
import { execFileSync } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { unpack } from "../../../src/store/versions.js";

/** The text of a file that nobody may read: no input of a test holds it. */
export const canary = "canary-5f0c2b7e9d41a836\n".repeat(3);
const secret = "5f0c2b7e9d41a836";

const base = realpathSync(tmpdir());

export class Site {
  readonly scratch: string = mkdtempSync(join(base, "kedge-fuzz-"));
  readonly project: string = join(this.scratch, "project");
  readonly outside: string = join(this.scratch, "outside");
  readonly home: string = join(this.scratch, "home");
  readonly state: string = join(this.scratch, "state");
  private readonly before: string;

  constructor(files: Readonly<Record<string, string>>) {
    for (const folder of [this.project, this.outside, this.home]) mkdirSync(folder);
    writeFileSync(join(this.outside, "canary.txt"), canary);
    for (const [name, text] of Object.entries(files)) this.put(name, text);
    symlinkSync(join(this.outside, "canary.txt"), join(this.project, "link.txt"));
    symlinkSync(this.outside, join(this.project, "folder"));
    execFileSync("mkfifo", [join(this.project, "pipe")]);
    this.before = this.others();
  }

  get env(): Record<string, string> {
    const config = { XDG_CONFIG_HOME: join(this.home, "config"), KEDGE_STATE: this.state };
    return { PATH: process.env.PATH ?? "", HOME: this.home, KEDGE_DEBUG: "1", ...config };
  }

  put(name: string, text: string): void {
    const path = join(this.project, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  text(name: string): string {
    return readFileSync(join(this.project, name), "utf8");
  }

  /** The text with `{project}` and its like replaced, escaped as in JSON. */
  placed(text: string): string {
    return text.replace(/\{(project|outside|home|state)\}/g, (_, name: "project") =>
      JSON.stringify(this[name]).slice(1, -1),
    );
  }

  /** All but the project and the state folder, as it was; and, unless it may be `kept`, nothing of it in the state folder. */
  expectUntouched(what: string, { kept = false } = {}): void {
    expect(this.others(), what).toBe(this.before);
    if (kept) return;
    for (const path of filesIn(this.state)) {
      const bytes = readFileSync(path);
      const text = path.endsWith(".log") ? unpacked(bytes) : bytes;
      expect(text.includes(secret), `${path} holds the canary: ${what}`).toBe(false);
    }
  }

  /** All that is in the project, by name. */
  tree(): string {
    return described(this.project);
  }

  /** Failures that the guard went over: its log says them. */
  failures(): string[] {
    const log = join(this.state, "guard.log");
    const text = filesIn(this.state).includes(log) ? readFileSync(log, "utf8") : "";
    return text.match(/.*\b(?:Type|Range|Reference|Internal)Error\b[\s\S]{0,600}/g) ?? [];
  }

  remove(): void {
    rmSync(this.scratch, { recursive: true, force: true });
  }

  private others(): string {
    const names = readdirSync(this.scratch).filter((name) => name !== "project" && name !== "state");
    return [names.sort().join(), described(this.outside), described(this.home)].join("\n");
  }
}

export const isLeaked = (text: string): boolean => text.includes(secret);

function filesIn(folder: string): string[] {
  try {
    const found = readdirSync(folder, { recursive: true, withFileTypes: true });
    return found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  } catch {
    return [];
  }
}

function described(folder: string): string {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  return names
    .map((name) => {
      const path = join(folder, name);
      const stat = lstatSync(path);
      return JSON.stringify([name, stat.mode, stat.ino, stat.isFile() ? readFileSync(path, "utf8") : ""]);
    })
    .join("\n");
}

function unpacked(log: Buffer): string {
  const texts = log
    .toString("latin1")
    .split("\n")
    .flatMap((line) => {
      const [, data] = /"data":"([^"]*)"/.exec(line) ?? [];
      return data === undefined ? [] : textIn(Buffer.from(data, "base64"));
    });
  return [log.toString("latin1"), ...texts].join("\n");
}

/** Returns the text of a version; a damaged one has none. */
function textIn(packed: Uint8Array): string[] {
  try {
    return [Buffer.from(unpack(packed)).toString("latin1")];
  } catch {
    return [];
  }
}

/** Ends with the time that the work takes; fails instead of waiting for ever. */
export async function timed<T>(what: string, limit: number, work: () => Promise<T>): Promise<T> {
  const started = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new Error(`no end after ${limit} ms: ${what}`)), limit * 3);
  });
  try {
    const result = await Promise.race([work(), late]);
    const took = performance.now() - started;
    if (took > limit) throw new Error(`took ${Math.round(took)} ms: ${what}`);
    return result;
  } finally {
    clearTimeout(timer);
  }
}
