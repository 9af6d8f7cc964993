import {
  closeSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { nodeFiles, nodeStore } from "../../src/node.js";
import type { Row } from "./harness.js";
import { sourceText } from "./text.js";

interface Work {
  readonly name: string;
  run(): unknown;
}

const rounds = 25;
const repeats = 8;
const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] as number;

async function time({ run }: Work): Promise<number> {
  const start = performance.now();
  for (let at = 0; at < repeats; at++) await run();
  return (performance.now() - start) / repeats;
}

/**
 * Alternates both, since a disk has moods that last for seconds; but in runs, since a flush also pays for what the call
 * before it left unflushed, and one that always follows the other would pay the other's bill.
 */
async function measure(work: Work, base: Work, goal: number, warmUps = 2): Promise<Row> {
  for (let at = 0; at < warmUps; at++) {
    await time(work);
    await time(base);
  }
  const own: number[] = [];
  const other: number[] = [];
  for (let at = 0; at < rounds; at++) {
    own.push(await time(work));
    other.push(await time(base));
  }
  const ratios = own.map((value, at) => value / (other[at] as number)).sort((one, two) => one - two);
  return {
    work: work.name,
    goal,
    ratio: median(own) / median(other),
    spread: [ratios[Math.floor(rounds * 0.1)] as number, ratios[Math.floor(rounds * 0.9)] as number],
    milliseconds: median(own),
    baseline: base.name,
  };
}

/** The least that every atomic writer does. */
function bareWrite(path: string, bytes: Uint8Array): void {
  const fd = openSync(`${path}.tmp`, "wx");
  writeSync(fd, bytes);
  fsyncSync(fd);
  closeSync(fd);
  renameSync(`${path}.tmp`, path);
}

/** The same and the folder, as a commit has to. */
function flushedWrite(path: string, folder: string, bytes: Uint8Array): void {
  bareWrite(path, bytes);
  const fd = openSync(folder, "r");
  fsyncSync(fd);
  closeSync(fd);
}

async function commits(folder: string, lines: number): Promise<Row[]> {
  const root = join(folder, "work");
  mkdirSync(root, { recursive: true });
  const versions = [sourceText(lines), sourceText(lines).replace("compute", "changed")].map((text) =>
    new TextEncoder().encode(text),
  ) as [Uint8Array, Uint8Array];
  const path = join(root, "a.ts");
  const twin = join(root, "b.ts");
  writeFileSync(path, versions[0]);
  const files = nodeFiles({ roots: [root], state: join(folder, "state") });
  const file = await files.identify("a.ts");
  let turn = 0;
  const hold = (reading: boolean) => (): Promise<void> =>
    files.hold([file], async (held) => {
      const known = versions[turn % 2] as Uint8Array;
      turn += 1;
      const before = reading ? await held.read(file) : known;
      const after = versions[turn % 2] as Uint8Array;
      if (!(await held.commit([{ file, before, after }]))) throw new Error("not committed");
    });
  const commit = {
    name: `commit of ${lines} lines: lock, write, flush, compare, rename, flush folder`,
    run: hold(false),
  };
  const whole = { name: "the same, and the file read under the lock", run: hold(true) };
  let other = 0;
  const next = (): Uint8Array => versions[other++ % 2] as Uint8Array;
  const bare = { name: "temp-write-fsync-rename", run: () => bareWrite(twin, next()) };
  const flushed = { name: "that with the folder flushed", run: () => flushedWrite(twin, root, next()) };
  return [
    await measure(commit, bare, 1.5),
    await measure(commit, flushed, 1.5),
    await measure(whole, bare, 2),
    // Compiled, as everything is that the core is measured with: some thousand calls.
    await measure({ ...commit, name: "the same commit, after 3,000 others" }, bare, 1.5, 3000 / repeats),
  ];
}

async function lookUp(folder: string, versions: number): Promise<Row> {
  const store = (name: string) =>
    nodeStore({ state: join(folder, name), workspace: { key: "/work" }, brief: true });
  const [empty, full] = [store("empty"), store("full")];
  const record = {
    showings: Array.from({ length: 20 }, (_, at) => ({ version: `${at}`.padStart(16, "0"), rows: [0, 200] })),
  };
  const save = (one: typeof empty, file: string, version: Uint8Array | null, id = "") =>
    one.unit([], "one", (unit) =>
      unit.finish({
        files: [{ file, states: { from: 0, states: [[id]] }, ledger: { record, since: 0 } }],
        versions: version ? [{ id, bytes: version, file }] : [],
        entries: [],
        records: [],
      }),
    );
  for (const one of [empty, full]) await save(one, "/work/a.ts", null);
  for (let at = 0; at < versions; at++) {
    const id = ((at * 2654435761) % 2 ** 32).toString(16).padStart(16, "0");
    await save(full, `/work/${at}.ts`, new TextEncoder().encode(`version ${at}\n`), id);
  }
  // A single look-up is too short for the clock.
  const many = (one: typeof empty) => async () => {
    for (let at = 0; at < 25; at++) await one.look("/work/a.ts", "one");
  };
  return measure(
    { name: `25 look-ups of one file beside ${versions} versions`, run: many(full) },
    { name: "in an empty state folder", run: many(empty) },
    3,
  );
}

/** The rows of the speed table that need a disk. On the disk of the project: the temporary folder may be memory. */
export async function commitRows(): Promise<Row[]> {
  const cache = resolve("node_modules/.cache/kedge");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "speed-"));
  try {
    return [...(await commits(folder, 10_000)), await lookUp(folder, 10_000)];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
