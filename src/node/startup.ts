import {
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Script } from "node:vm";
import { stateFolder } from "./state.js";

export interface Startup {
  /** The program, one CommonJS file. */
  readonly file: string;
  /** Its text, if it is not all of the file. */
  readonly source?: string;
  /** Tells this very text of it: machine code of another would be taken without a word if it has the same length. */
  readonly id: string;
  /** What is run of it: each gets machine code for what it uses. */
  readonly use: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const parameters = "exports, require, module, __filename, __dirname";

/**
 * Runs a program with the machine code that an earlier run left in the state folder. Reading and compiling it anew
 * costs as much as Node's own start. Without the folder, or with machine code that does not fit, it just takes longer.
 */
export function startProgram(startup: Startup): object {
  const { file, id, use, env } = startup;
  const source = startup.source ?? readFileSync(file, "utf8");
  const cache = cachePath(env, `${id}-${use}-${process.version}-${process.arch}-${flagsMark(env)}`);
  const known = cache === null ? undefined : readWhole(cache);
  const script = new Script(`(function (${parameters}) {${source}\n})`, {
    filename: file,
    ...(known ? { cachedData: known } : {}),
  });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file));
  // At the end, when all that was needed has been compiled.
  if (cache !== null && (!known || script.cachedDataRejected))
    process.once("exit", () => keep(cache, script.createCachedData()));
  return module.exports;
}

function cachePath(env: Startup["env"], name: string): string | null {
  try {
    return join(stateFolder({ env }), "code", name);
  } catch {
    return null;
  }
}

/** Flags of V8 change what it takes; others do no harm here. */
function flagsMark(env: Startup["env"]): string {
  let mark = 0;
  for (const letter of [...process.execArgv, env.NODE_OPTIONS ?? ""].join(" "))
    mark = (Math.imul(mark, 31) + (letter.codePointAt(0) as number)) >>> 0;
  return mark.toString(36);
}

/**
 * Damaged machine code would be run, and end the process at every start. So it is kept twice: comparing is done in no
 * time, a checksum would take longer than the code saves.
 */
function readWhole(path: string): Buffer | undefined {
  try {
    const bytes = readFileSync(path);
    const [one, two] = [bytes.subarray(0, bytes.length / 2), bytes.subarray(bytes.length / 2)];
    return one.length > 0 && one.equals(two) ? one : undefined;
  } catch {
    return undefined;
  }
}

const keptFor = 14 * 86_400_000;

/** Flushed before it gets its name: machine code with a hole in it would be run. */
function keep(path: string, code: Buffer): void {
  const folder = dirname(path);
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const fd = openSync(temporary, "wx", 0o600);
    try {
      writeSync(fd, Buffer.concat([code, code]));
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, path);
    const now = Date.now();
    for (const name of readdirSync(folder))
      if (now - lstatSync(join(folder, name)).mtimeMs > keptFor) rmSync(join(folder, name), { force: true });
  } catch {
    // It is only faster with it.
    try {
      rmSync(temporary, { force: true });
    } catch {
      // Nor is there anything to remove.
    }
  }
}
