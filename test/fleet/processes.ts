/** Hosts as processes, and a proxy between them and the database. */
import { type ChildProcess, spawn } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, connect as dial, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, onTestFinished } from "vitest";
import type { Done, Task } from "./worker.js";

let program: Promise<string> | undefined;

function built(): Promise<string> {
  program ??= (async () => {
    // Beside the packages, which it does not contain.
    const cache = join(import.meta.dirname, "../../node_modules/.cache");
    mkdirSync(cache, { recursive: true });
    const outfile = join(mkdtempSync(join(cache, "kedge-fleet-")), "worker.mjs");
    await build({
      entryPoints: [join(import.meta.dirname, "worker.ts")],
      ...{ outfile, bundle: true, platform: "node", format: "esm", packages: "external", logLevel: "silent" },
    });
    process.on("exit", () => rmSync(join(outfile, ".."), { recursive: true, force: true }));
    return outfile;
  })();
  return program;
}

export interface Running {
  readonly child: ChildProcess;
  /** null: it was killed. */
  readonly done: Promise<Done | null>;
}

export async function runHost(task: Task): Promise<Running> {
  const child = spawn(process.execPath, [await built(), JSON.stringify(task)], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  let errors = "";
  child.stdout?.on("data", (chunk) => {
    output += String(chunk);
  });
  child.stderr?.on("data", (chunk) => {
    errors += String(chunk);
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const done = new Promise<Done | null>((resolve, reject) => {
    child.on("close", (code, signal) => {
      if (signal !== null) resolve(null);
      else if (code === 0) resolve(JSON.parse(output.trim().split("\n").at(-1) ?? "null") as Done);
      else reject(new Error(`a host ended with ${code}: ${errors}`));
    });
  });
  return { child, done };
}

export interface Volume {
  readonly root: string;
  /** A state folder of its own for each host. */
  state(host: string): string;
  lines(path: string): string[];
  /** Files that are no files of the tree. */
  leftovers(): string[];
}

/** A tree with a place for each agent in each file. */
export function newVolume(paths: readonly string[], agents: readonly string[]): Volume {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "kedge-volume-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const root = join(base, "tree");
  mkdirSync(root);
  const content = agents
    .flatMap((agent) => [`here ${agent}`, `above ${agent}`, `below ${agent}`, ""])
    .join("\n");
  for (const path of paths) writeFileSync(join(root, path), `${content}\n`);
  return {
    root,
    state: (host) => {
      const state = join(base, `state-${host}`);
      mkdirSync(state, { recursive: true });
      return state;
    },
    lines: (path) => readFileSync(join(root, path), "utf8").split("\n"),
    leftovers: () => readdirSync(root).filter((name) => !paths.includes(name)),
  };
}

/** Every accepted line is in its files exactly once, and no other is. */
export function expectOnce(
  volume: Volume,
  paths: readonly string[],
  all: readonly (Done | null)[],
  isBatch = false,
): void {
  const accepted = all.flatMap((done) => done?.accepted ?? []).sort();
  const isEdit = (line: string): boolean => / \d+$/.test(line);
  const found = paths.map((path) => volume.lines(path).filter(isEdit).sort());
  if (isBatch) for (const lines of found) expect(lines).toEqual(accepted);
  else expect(found.flat().sort()).toEqual(accepted);
}

export interface Proxy {
  readonly url: string;
  /** Ends every connection. */
  cut(): void;
  /** Takes no more, and lets nothing through. */
  close(): void;
  open(): void;
  end(): void;
}

/** Between a host and its database: what breaks in a network. */
export async function proxyTo(url: string): Promise<Proxy> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let isClosed = false;
  const server = createServer((near) => {
    if (isClosed) {
      near.destroy();
      return;
    }
    const far = dial(Number(target.port), target.hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const through = new URL(url);
  through.port = String(port);
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const proxy = {
    ...{ url: through.href, cut },
    close: () => {
      isClosed = true;
      cut();
    },
    open: () => {
      isClosed = false;
    },
    end: () => {
      cut();
      server.close();
    },
  };
  onTestFinished(proxy.end);
  return proxy;
}
