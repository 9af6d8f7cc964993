/** Configuration as nobody writes it: an error that says what is wrong or a setting that is never laxer than the person's own. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Config, loadConfig, type Settings } from "../../../src/node.js";
import { failsClosed } from "../../../src/workspace/index.js";
import { garbled, mutated, runs, soon, textOf } from "./mutants.js";
import { Site, timed } from "./site.js";

const gates = ["lines", "file", "off"];
const patterns = [
  "**/*.txt",
  "*a*a*a*a*a*a*b",
  "{a,b}/**",
  "!**/*.txt",
  "!a",
  "[",
  "+(a|b)",
  "",
  "\0",
  "**/".repeat(50),
  "!",
];

const seeds: readonly object[] = [
  {},
  ...gates.map((gate) => ({ gate })),
  {
    gate: "file",
    onStale: "refuse",
    keepOnFold: false,
    failClosed: true,
    anchors: "hex4",
    encoding: "utf-8",
  },
  { gate: "off", onStale: "relocate", keepOnFold: true, failClosed: false, anchors: "none" },
  { deny: ["secret/**"], secrets: ["*.key"], roots: ["src"] },
  { deny: ["!secret/**"], secrets: ["!*.key"], roots: ["..", "/"] },
  { roots: ["src", "src/deep", "./src/../lib", "{project}/src"] },
  { limits: { size: 1, wait: 1, time: 1, days: 0.0001, space: 1 } },
  { limits: { size: 1e12, wait: 1e9, time: 1e9, days: 1e6, space: 1e12 } },
  ...patterns.map((pattern) => ({ deny: [pattern], secrets: [pattern, "x"] })),
];

const text = garbled(mutated(seeds, 3).map(textOf));
const file = fc.option(text, { nil: undefined });
/** The person's own can mostly be read. */
const own = fc.option(fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...seeds).map(textOf) }, text), {
  nil: undefined,
});

const word = fc.constantFrom(
  ...[
    "",
    "1",
    "0",
    "true",
    "false",
    "lines",
    "file",
    "off",
    "relocate",
    "refuse",
    "none",
    "x",
    "!x",
    "!",
    "a,!b,[",
    "/",
    "..",
    ":",
    "src:/",
  ],
  ...[
    "size=1,wait=1",
    "size=1e999",
    "size=NaN",
    "space=1,days=1",
    "=",
    "size",
    "\ud800",
    "utf-16le",
    "__proto__=1",
    "wait=-1",
    "time=0x10",
  ],
);
const variables = [
  ...[
    "GATE",
    "ANCHORS",
    "ON_STALE",
    "KEEP_ON_FOLD",
    "ROOTS",
    "DENY",
    "SECRETS",
    "LIMITS",
    "ENCODING",
    "FAIL_CLOSED",
  ],
  ...["STATE", "SESSION", "CONFIG", "DEBUG", "NO_GUARD"],
].map((name) => `KEDGE_${name}`);
const environment = fc.dictionary(fc.constantFrom(...variables), word, { maxKeys: 4 });

type Loaded = Config | { readonly error: unknown };

function loaded(options: Parameters<typeof loadConfig>[0]): Loaded {
  try {
    return loadConfig(options);
  } catch (error) {
    return { error };
  }
}

/** How strict: from lax to strict, and what counts where nothing is said. Written down here anew, on purpose. */
const scales = [
  ["gate", ["off", "file", "lines"], "lines"],
  ["onStale", ["relocate", "refuse"], "relocate"],
  ["failClosed", [false, true], false],
  ["keepOnFold", [true, false], false],
] as const;

function expectNotLaxer(now: Settings, person: Settings, isHook: boolean): void {
  for (const [key, order, usual] of scales) {
    const rank = (settings: Settings): number =>
      (order as readonly unknown[]).indexOf(settings[key] ?? usual);
    expect(rank(now), key).toBeGreaterThanOrEqual(rank(person));
  }
  for (const key of ["deny", "secrets"] as const) {
    const rest = [...(person[key] ?? [])];
    const added = (now[key] ?? []).filter((pattern) => pattern !== rest[0] || rest.shift() === undefined);
    expect([rest, added.filter((pattern) => pattern.startsWith("!"))], key).toEqual([[], []]);
  }
  if (person.roots)
    for (const root of now.roots ?? ["/"])
      expect(
        person.roots.some((outer) => root === outer || root.startsWith(outer === "/" ? "/" : `${outer}/`)),
        root,
      ).toBe(true);
  const mine: Record<string, unknown> = { ...person.limits };
  const theirs: Record<string, unknown> = { ...now.limits };
  // What is larger than a limit the guard lets through; how long a record is kept is the person's affair.
  for (const name of isHook ? ["size", "wait", "time", "days", "space"] : ["days", "space"])
    expect(theirs[name], name).toBe(mine[name]);
  for (const name of ["size", "wait", "time"])
    if (mine[name] !== undefined) expect(theirs[name], name).toBeLessThanOrEqual(mine[name] as number);
}

describe.each([
  ["a hook", true],
  ["our own tools", false],
])("in %s", (_, hook) => {
  test("files and variables of any content", { timeout: 3_600_000 }, async () => {
    const site = new Site({});
    try {
      await fc.assert(
        fc.asyncProperty(own, file, environment, async (user, project, env) => {
          put(site, "project/.kedge.json", project);
          put(site, "home/config/kedge/config.json", user);
          await timed("loading", soon, async () => {
            const options = { env: { ...site.env, ...env }, workspace: site.project, hook };
            const alone = { env: hook ? site.env : options.env, workspace: join(site.project, "none"), hook };
            compared(loaded(options), loaded(alone), options);
          });
        }),
        { numRuns: runs * 5 },
      );
    } finally {
      site.remove();
    }
  });

  function compared(now: Loaded, person: Loaded, options: Parameters<typeof loadConfig>[0]): void {
    if ("error" in person) expect(now).toHaveProperty("error");
    if ("error" in now) {
      expect(now.error).toMatchObject({
        name: "PortError",
        message: expect.stringMatching(/config\.json|\.kedge\.json|environment/),
      });
      expect(typeof failsClosed(options)).toBe("boolean");
      return;
    }
    if (!("error" in person)) expectNotLaxer(now.settings, person.settings, hook);
  }
});

function put(site: Site, name: string, content: string | undefined): void {
  const path = join(site.scratch, name);
  mkdirSync(dirname(path), { recursive: true });
  // An empty object says what no file says.
  writeFileSync(path, site.placed(content ?? "{}"));
}
