/** Events as no client sends them: an answer that the client can read, soon; nothing outside is touched or told, and no later decision is laxer. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { adapters, hook } from "../../../src/guard/index.js";
import { capturedIn, type Driver, folder, type Payload } from "../../guard/drivers/driver.js";
import { drivers } from "../../guard/drivers/index.js";
import { garbled, mutated, paths, runs, soon, textOf } from "./mutants.js";
import { isLeaked, Site, timed } from "./site.js";

const files = {
  "a.js": "let one = 1;\nlet two = 2;\nlet three = 3;\n",
  "a.txt": "alpha\nbeta\ngamma\n",
  "b.txt": "one\ntwo\n",
  "c.txt": "c1\nc2\n",
  "sub/a.txt": "subalpha\n",
  "nb.ipynb": '{"cells":[]}\n',
  "never.js": "first of never\nsecond of never\nthird of never\n",
};

/** All payloads of one version of a client, with the places of the test in them. */
function payloadsOf(version: string): unknown[] {
  const names = readdirSync(join(folder, version), { recursive: true, encoding: "utf8" });
  return names
    .filter((name) => /\.jsonl?$/.test(name))
    .flatMap((name) => readFileSync(join(folder, version, name), "utf8").split(/\n(?=\{)/))
    .filter((text) => text.startsWith("{"))
    .map((text) => handed(JSON.parse(text.replaceAll(capturedIn, "{project}")) as Payload));
}

/** What plugins add to the line that was captured. */
function handed(line: Payload): Payload {
  if (line.hook_event_name !== undefined || line.k === undefined) return line;
  if (line.k === "event") return { k: "event", i: line.e, directory: "{project}" };
  const isPi = "toolName" in line || String(line.k).startsWith("session_");
  return isPi ? { ...line, session: "one", cwd: "{project}" } : { ...line, directory: "{project}" };
}

const transcripts = [
  "{project}/pipe",
  "/dev/zero",
  "/proc/self/mem",
  "{outside}/canary.txt",
  "{project}",
  "{project}/link.txt",
];
const folders = [
  "/no/such",
  "{project}/a.js",
  ".",
  "",
  "{project}/sub",
  "{project}/..",
  "{home}",
  "/",
  "/proc/self/fd",
];

/** What every client says in its own words, changed where it hurts. */
function aimed(payload: Payload): unknown[] {
  const with_ = (values: Payload): Payload => ({ ...payload, ...values });
  return [
    ...transcripts.map((transcript_path) => with_({ transcript_path })),
    ...folders.map((cwd) => with_({ cwd, directory: cwd })),
    ...paths.map((path) =>
      JSON.parse(
        JSON.stringify(payload).replaceAll(/\{project\}\/[\w.]+/g, () => JSON.stringify(path).slice(1, -1)),
      ),
    ),
  ];
}

function contract(driver: Driver, version: string): void {
  const adapter = adapters[driver.client] as NonNullable<(typeof adapters)[string]>;
  const payloads = payloadsOf(version);
  const before = payloads.filter((one) =>
    /PreToolUse|BeforeTool|"before"|"tool_call"|PostToolUse-?Read/.test(JSON.stringify(one)),
  );
  const seeds = [...payloads, ...before.flatMap((one) => aimed(one as Payload))];
  const input = garbled(mutated(seeds).map(textOf));

  test("payloads of any shape", { timeout: 3_600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(input, { minLength: 1, maxLength: 30, size: "max" }), async (batch) => {
        const site = new Site(files);
        try {
          await attacked(site, batch);
        } finally {
          site.remove();
        }
      }),
      { numRuns: Math.ceil(runs / 20) },
    );
  });

  async function attacked(site: Site, batch: readonly string[]): Promise<void> {
    const ask = (text: string): Promise<string | null> =>
      hook({ adapter, input: text, env: site.env, clock: Date.now });
    const tree = site.tree();
    const shown = (text: string): string => text.slice(0, 500);
    for (const one of batch) {
      const text = site.placed(one);
      const answer = await timed(shown(text), soon, () => ask(text));
      expect(answer === null || typeof JSON.parse(answer) === "object", shown(text)).toBe(true);
      if (answer !== '{"recall":true}') driver.reply(answer);
      expect(isLeaked(answer ?? ""), `tells the canary: ${shown(text)}`).toBe(false);
    }
    const what = `after ${batch.length} payloads`;
    site.expectUntouched(what, { kept: batch.some((one) => isAround(site, site.placed(one))) });
    expect(site.tree(), what).toBe(tree);
    expect(site.failures(), what).toEqual([]);
    for (const conversation of conversations(payloads)) {
      const who = { conversation, cwd: site.project };
      const edit = { old: "second of never", new: "x" };
      const path = join(site.project, "never.js");
      const call = driver.call({ do: "edit", path, edits: [edit] }, who);
      expect(driver.reply(await ask(JSON.stringify(call.before))).deny, what).toContain("was not read");
    }
  }
}

/** A conversation that begins in a folder above makes a workspace of all that is below it. */
function isAround(site: Site, text: string): boolean {
  const named = text.matchAll(/"(?:cwd|directory|worktree|project|workdir)":("(?:[^"\\]|\\.)*")/g);
  return [...named].some(([, path = '""']) => {
    try {
      const folder = resolve(JSON.parse(path));
      return (
        site.outside.startsWith(folder === "/" ? folder : `${folder}/`) || folder.startsWith(site.outside)
      );
    } catch {
      return true;
    }
  });
}

/** Those that the payloads speak of, and a new one. */
function conversations(payloads: readonly unknown[]): string[] {
  const names = [...JSON.stringify(payloads).matchAll(/"(?:session_id|sessionID|session)":"([^"]+)"/g)];
  return [...new Set([...names.map(([, name]) => name as string).slice(0, 3), "fresh"])];
}

for (const driver of drivers)
  for (const version of driver.versions) describe(version, () => contract(driver, version));
