/** Somebody turns a folder of the workspace into a link and back, as fast as they can, while files in it are used. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { PortError } from "../../src/ports/files.js";
import { commit, type Ground, newGround, text, treeOf, utf8 } from "../support/node.js";

/** Long enough for every step of a read and of a commit to meet the swap: without the check of the descriptor a file outside was written within seconds. */
const seconds = Number(process.env.KEDGE_RACE_SECONDS ?? 20);

/** `folder` is now the folder, now a link to `outside`; which of the two stands under the name is never agreed with anybody. */
const swapper = `
const { renameSync, rmSync } = require("node:fs");
const [folder, link, aside] = process.argv.slice(1);
// What is made meanwhile under a name that is free for a moment goes out of the way.
const move = (from, to) => {
  for (;;) {
    try { return renameSync(from, to); } catch {}
    try { rmSync(to, { recursive: true, force: true }); } catch {}
  }
};
for (;;) {
  move(folder, aside); move(link, folder);
  for (let at = 0; at < Math.random() * 4000; at++);
  move(folder, link); move(aside, folder);
  for (let at = 0; at < Math.random() * 400000; at++);
}`;

function startSwapping(at: Ground, outside: string): ChildProcess {
  const [folder, link, aside] = ["folder", "link", "aside"].map((name) => join(at.root, name)) as [
    string,
    string,
    string,
  ];
  symlinkSync(outside, link);
  const child = spawn(process.execPath, ["-e", swapper, folder, link, aside], { stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

test.skipIf(process.platform === "win32")(
  "no file outside is read, written, made or removed",
  { timeout: (seconds + 60) * 1000 },
  async () => {
    const at = newGround();
    const outside = join(at.root, "../outside");
    mkdirSync(join(outside, "deep"), { recursive: true });
    for (const name of ["file", "deep/file", "second"]) writeFileSync(join(outside, name), "OUTSIDE\n");
    for (const name of ["file", "deep/file", "second"]) at.put(`folder/${name}`, "inside 0\n");
    const before = treeOf(outside);
    const child = startSwapping(at, outside);
    const files = at.files({ limits: { wait: 1000 } });
    const counts = { done: 0, refused: 0 };
    const ends = Date.now() + seconds * 1000;
    for (let round = 1; Date.now() < ends; round++) {
      for (const step of steps(files, round)) {
        try {
          const seen = await step();
          if (seen !== null) expect(seen).not.toContain("OUTSIDE");
          counts.done += 1;
        } catch (error) {
          if (!(error instanceof PortError)) throw error;
          counts.refused += 1;
        }
      }
    }
    console.log(`race: ${counts.done} steps done, ${counts.refused} refused`);
    expect(child.exitCode).toBeNull();
    child.kill("SIGKILL");
    expect(treeOf(outside)).toEqual(before);
    expect(folders(outside)).toEqual(["deep", "file", "second"]);
    // Both have to happen, or nothing was raced.
    expect(counts.done).toBeGreaterThan(50);
    expect(counts.refused).toBeGreaterThan(50);
  },
);

const folders = (path: string): string[] => readdirSync(path).sort();

function* steps(files: ReturnType<Ground["files"]>, round: number): Generator<() => Promise<string | null>> {
  const rewrite = async (path: string): Promise<string | null> => {
    const file = await files.identify(path);
    await files.hold([file], async (held) => {
      const now = await held.read(file);
      expect(text(now) ?? "").not.toContain("OUTSIDE");
      if (now !== null) await held.commit([{ file, before: now, after: utf8(`inside ${round}\n`) }]);
    });
    return null;
  };
  yield async () => text(await files.read(await files.identify("folder/file")));
  yield () => rewrite("folder/file");
  yield () => rewrite("folder/deep/file");
  yield async () => {
    const [one, two] = [await files.identify("folder/file"), await files.identify("folder/second")];
    await files.hold([one, two], async (held) => {
      const [a, b] = [await held.read(one), await held.read(two)];
      expect(`${text(a)}${text(b)}`).not.toContain("OUTSIDE");
      if (a && b)
        await held.commit([
          { file: one, before: a, after: utf8(`inside batch ${round}\n`) },
          { file: two, before: b, after: utf8(`inside batch ${round}\n`) },
        ]);
    });
    return null;
  };
  yield async () => {
    await commit(files, { [`folder/new${round}/deeper/file`]: "new\n" });
    return null;
  };
  yield async () => {
    const { hits } = await files.search({
      pattern: "OUTSIDE",
      literal: true,
      ignoreCase: false,
      maxResults: 9,
    });
    return JSON.stringify(hits.filter(({ path }) => !path.startsWith("link/")));
  };
}

/** The attack works on a program that follows the path: else the test above could not fail. */
test.skipIf(process.platform === "win32")("a program that goes by the path alone is misled", async () => {
  const at = newGround();
  const outside = join(at.root, "../outside");
  mkdirSync(outside);
  writeFileSync(join(outside, "file"), "OUTSIDE\n");
  at.put("folder/file", "inside\n");
  const child = startSwapping(at, outside);
  const path = join(at.root, "folder/file");
  let isMisled = false;
  for (const ends = Date.now() + 20_000; !isMisled && Date.now() < ends; )
    try {
      if (readFileSync(path, "utf8") === "OUTSIDE\n") isMisled = true;
      writeFileSync(`${path}.tmp`, "new\n");
      renameSync(`${path}.tmp`, path);
    } catch {}
  child.kill("SIGKILL");
  expect(isMisled || readFileSync(join(outside, "file"), "utf8") !== "OUTSIDE\n").toBe(true);
});
