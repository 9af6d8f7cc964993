import {
  closeSync,
  constants,
  fstatSync,
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
import { dirname, join } from "node:path";
import { Script } from "node:vm";
import { stateFolder, wantedFolder } from "./state-folder.js";

export interface Startup {
  /** The program, one CommonJS file. */
  readonly file: string;
  /** Its text in the head and tail below, if it is not all of the file. */
  readonly source?: string;
  /** Tells this very text of it: machine code of another would be taken without a word if it has the same length. */
  readonly id: string;
  /** The functions of it that are run: each gets machine code for what it uses. */
  readonly use: string;
  /** The name of a file beside it. */
  readonly require: NodeJS.Require;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const programHead = "(function (exports, require, module, __filename, __dirname) {";
const programTail = "\n})";

/**
 * Runs a program with the machine code that an earlier run left in the state folder. Reading and compiling it anew
 * costs as much as Node's own start. Without the folder, or with machine code that does not fit, it just takes longer.
 */
export function startProgram(startup: Startup): object {
  const { file, id, use, env } = startup;
  const source = startup.source ?? `${programHead}${readFileSync(file, "utf8")}${programTail}`;
  const name = `${id}-${use}-${process.version}-${process.arch}-${flagsMark(env)}`;
  const { known, path } = machineCode(name, env);
  const script = new Script(source, {
    filename: file,
    ...(known ? { cachedData: known } : {}),
  });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, startup.require, module, file, dirname(file));
  // At the end, when all that was needed has been compiled.
  if (path !== null && (!known || script.cachedDataRejected))
    process.once("exit", () => keep(path, script.createCachedData()));
  return module.exports;
}

/** Mostly it is where it should be; then the folder does not have to be looked at. */
function machineCode(
  name: string,
  env: Startup["env"],
): { readonly known: Buffer | undefined; readonly path: string | null } {
  try {
    const wanted = join(wantedFolder({ env }), "code", name);
    const found = readWhole(wanted);
    if (found) return { known: found, path: wanted };
    const path = join(stateFolder({ env }), "code", name);
    return { known: path === wanted ? undefined : readWhole(path), path };
  } catch {
    return { known: undefined, path: null };
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
 * Machine code is run without a further look, so it must be this user's, in folders that nobody else can write to.
 * Damaged code would end the process at every start. So it is kept twice: comparing is done in no time, a checksum
 * would take longer than the code saves.
 */
function readWhole(path: string): Buffer | undefined {
  let fd: number | null = null;
  try {
    fd = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    const folder = dirname(path);
    if (![fstatSync(fd), lstatSync(folder), lstatSync(dirname(folder))].every(isOwn)) return undefined;
    const bytes = readFileSync(fd);
    const [one, two] = [bytes.subarray(0, bytes.length / 2), bytes.subarray(bytes.length / 2)];
    return one.length > 0 && one.equals(two) ? one : undefined;
  } catch {
    return undefined;
  } finally {
    if (fd !== null) closeSync(fd);
  }
}

/** Windows tells neither; the folder there is in the user's profile. */
function isOwn({ uid, mode }: { readonly uid: number; readonly mode: number }): boolean {
  return process.geteuid === undefined || (uid === process.geteuid() && (mode & 0o022) === 0);
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
