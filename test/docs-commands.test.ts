/** Follows the pages: each command of a `sh` block runs in a scratch repository, and prints what the page says. */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "..");
const pages = [
  "README.md",
  ...[
    "getting-started",
    "concepts",
    "configuration",
    "several-agents",
    "fleet",
    "storage",
    "troubleshooting",
  ].map((name) => `docs/${name}.md`),
];

const cart = `export function total(prices) {
  let sum = 0;
  for (const price of prices) sum += price;
  return sum;
}
`;

interface Step {
  readonly command: string;
  readonly said: readonly string[];
  readonly status: number;
}

/** Reads the commands of a page; a comment below one says what it prints (`# → …`) or how it ends (`# exit 5`). */
function stepsOf(page: string): Step[] {
  const blocks = [...readFileSync(join(root, page), "utf8").matchAll(/^```sh\n([\s\S]*?)^```/gm)];
  const steps: { command: string; said: string[]; status: number }[] = [];
  for (const line of blocks.flatMap(([, block = ""]) => block.trimEnd().split("\n"))) {
    const last = steps.at(-1);
    if (line.startsWith("# → ")) last?.said.push(line.slice(4));
    else if (line.startsWith("# exit ")) Object.assign(last ?? {}, { status: Number(line.slice(7)) });
    else if (line.trim() !== "") steps.push({ command: line, said: [], status: 0 });
  }
  return steps;
}

/** Runs all steps in one shell, in a repository with one committed file. */
function play(steps: readonly Step[]) {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "kedge-page-")));
  const [work, bin, out] = ["work", "bin", "out"].map((name) => join(top, name)) as [string, string, string];
  for (const folder of [work, bin, out]) mkdirSync(folder);
  writeFileSync(join(work, "cart.js"), cart);
  writeFileSync(join(bin, "kedge"), `#!/bin/sh\nexec "${process.execPath}" "${root}/dist/bin.cjs" "$@"\n`);
  chmodSync(join(bin, "kedge"), 0o755);
  const script = [
    "git init -q . && git add -A && git commit -qm first",
    ...steps.map(({ command }, at) => `{ ${command}\n} >${out}/${at} 2>&1; echo $? >${out}/${at}.status`),
  ].join("\n");
  const names = ["AUTHOR", "COMMITTER"].flatMap((who) => [
    [`GIT_${who}_NAME`, "Ada"],
    [`GIT_${who}_EMAIL`, "ada@example.com"],
  ]);
  const state = { KEDGE_STATE: join(top, "state"), KEDGE_SESSION: "me", HOME: top };
  const env = { PATH: `${bin}:${process.env.PATH}`, ...state, ...Object.fromEntries(names) };
  try {
    const { stderr } = spawnSync("bash", ["-c", script], { cwd: work, env, encoding: "utf8" });
    expect(stderr).toBe("");
    return steps.map((_, at) => ({
      text: readFileSync(join(out, `${at}`), "utf8"),
      status: Number(readFileSync(join(out, `${at}.status`), "utf8")),
    }));
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
}

describe("the commands of a page do what it says", () => {
  it.each(pages)("%s", (page) => {
    const steps = stepsOf(page);
    const done = play(steps);
    for (const [at, { command, said, status }] of steps.entries()) {
      const { text, status: ended } = done[at] as (typeof done)[number];
      expect({ command, text, ended }).toMatchObject({ ended: status });
      for (const words of said) expect(text, command).toContain(words);
    }
  });

  it("most pages have some", () => {
    expect(pages.filter((page) => stepsOf(page).length === 0)).toEqual([]);
  });
});
