import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Config, type ConfigOptions, loadConfig, type Settings } from "../../src/node.js";
import { failsClosed, rules as settingRules } from "../../src/workspace/index.js";
import { type Ground, newGround } from "../support/node.js";

interface Given {
  readonly flags?: Settings;
  readonly env?: Record<string, string>;
  readonly project?: unknown;
  readonly user?: unknown;
  readonly hook?: boolean;
}

function load(at: Ground, given: Given): Config {
  return loadConfig(optionsFor(at, given));
}

function optionsFor(at: Ground, { flags = {}, env = {}, project, user, hook = false }: Given): ConfigOptions {
  const write = (path: string, content: unknown): void => {
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  };
  if (project !== undefined) write(join(at.root, ".kedge.json"), project);
  if (user !== undefined) write(join(at.state, ".config/kedge/config.json"), user);
  return {
    flags,
    env,
    hook,
    workspace: at.root,
    home: at.state,
    platform: { name: "linux", path: posix },
  };
}

const { posix } = await import("node:path");

test("nothing set is nothing", () => {
  expect(load(newGround(), {})).toEqual({ settings: {}, sources: {}, vain: [], unkept: [] });
});

test("flags, then environment, then what is stricter of the workspace's and the user's", () => {
  const at = newGround();
  const all: Given = {
    user: { gate: "file", anchors: "lean", onStale: "refuse", encoding: "gbk", keepOnFold: true },
    project: { gate: "off", anchors: "hex4", onStale: "relocate" },
    env: { KEDGE_GATE: "lines", KEDGE_ANCHORS: "none" },
    flags: { gate: "file" },
  };
  const { settings, sources } = load(at, all);
  expect(settings).toEqual({
    gate: "file",
    anchors: "none",
    onStale: "refuse",
    encoding: "gbk",
    keepOnFold: true,
  });
  expect(sources).toMatchObject({
    gate: "command line",
    anchors: "environment",
    onStale: join(at.state, ".config/kedge/config.json"),
  });
});

test("what is forbidden adds up, and limits are taken one by one", () => {
  const { settings, sources } = load(newGround(), {
    user: { deny: ["a"], secrets: ["s"], limits: { size: 1, wait: 2 } },
    project: { deny: ["b"], limits: { size: 2, wait: 3, time: 4 } },
    env: { KEDGE_DENY: "c,d", KEDGE_LIMITS: "time=5" },
    flags: { deny: ["!a"] },
  });
  expect(settings.deny).toEqual(["a", "b", "c", "d", "!a"]);
  expect(settings.limits).toEqual({ size: 1, wait: 2, time: 5 });
  expect(sources.deny?.split(", ")).toHaveLength(4);
});

test("every key has a variable, but for what a person's own file alone decides", () => {
  const env = {
    ...{ KEDGE_ANCHORS: "lean", KEDGE_GATE: "off", KEDGE_ON_STALE: "refuse", KEDGE_KEEP_ON_FOLD: "1" },
    ...{ KEDGE_ROOTS: "/a:/b", KEDGE_DENY: "x", KEDGE_SECRETS: "y,z", KEDGE_LIMITS: "size=10,days=3" },
    ...{ KEDGE_ENCODING: "shift_jis", KEDGE_FAIL_CLOSED: "false", KEDGE_SESSION: "not a setting" },
    ...{ KEDGE_STORE: "postgres://db/kedge", KEDGE_TREE: "app" },
  };
  const { settings } = load(newGround(), { env });
  const named = Object.entries(settingRules).filter(([, { variable }]) => variable !== "");
  expect(Object.keys(settings).sort()).toEqual(named.map(([key]) => key).sort());
  expect(Object.keys(settingRules).filter((key) => !(key in settings))).toEqual(["tree"]);
  expect(settings).toMatchObject({
    keepOnFold: true,
    failClosed: false,
    roots: ["/a", "/b"],
    secrets: ["y", "z"],
  });
  expect(settings.limits).toEqual({ size: 10, days: 3 });
  expect(settings.store).toEqual({ url: "postgres://db/kedge", tree: "app" });
});

describe("the store", () => {
  const url = "postgres://me:secret@db/kedge";

  test("is joined field by field: flags, then the environment, then the person's file", () => {
    const user = { store: { url, tree: "file", lease: 60 } };
    const { settings, sources } = load(newGround(), {
      user,
      env: { KEDGE_TREE: "variable" },
      flags: { store: { lease: 5 } },
    });
    expect(settings.store).toEqual({ url, tree: "variable", lease: 5 });
    expect(sources.store?.split(", ")).toHaveLength(3);
  });
  test("may be given by its address alone", () => {
    expect(load(newGround(), { user: { store: url } }).settings.store).toEqual({ url });
  });
  test("of a project does not count, and is named without its address", () => {
    const { settings, vain } = load(newGround(), { project: { store: url } });
    expect(settings.store).toBeUndefined();
    expect(vain.join()).toMatch(/\.kedge\.json asks in vain for a store$/);
  });
  test("of a hook's environment does not count, and nobody is told: it is set for the person's own shell", () => {
    const { settings, vain } = load(newGround(), {
      env: { KEDGE_STORE: url, KEDGE_TREE: "other" },
      hook: true,
      user: { store: "postgres://own/kedge" },
    });
    expect(settings.store).toEqual({ url: "postgres://own/kedge" });
    expect(vain).toEqual([]);
  });
  test.each([
    "mysql://me:secret@db/x",
    "postgres://me:secret@db:port/x",
    "secret",
    { url, key: 1 },
    { url, lease: 0 },
  ])("that is none is refused, and what was given is not repeated: %j", (store) => {
    const given = (): unknown => load(newGround(), { user: { store } });
    expect(given).toThrow(/store is not what it should be; allowed: an object with any of "url"/);
    expect(given).not.toThrow(/secret/);
  });
});

describe("a wrong one is named, with what is allowed and where it stands", () => {
  const cases: [string, Given, RegExp][] = [
    [
      "an unknown key",
      { project: { anchor: "hex6" } },
      /\.kedge\.json: there is no key "anchor"; the keys are anchors, gate/,
    ],
    ["a key of every object", { project: '{"__proto__": 1}' }, /there is no key "__proto__"/],
    [
      "another word",
      { project: { gate: "on" } },
      /\.kedge\.json: gate is "on"; allowed: "lines", "file", "off"/,
    ],
    [
      "another type",
      { user: { keepOnFold: "yes" } },
      /config\.json: keepOnFold is "yes"; allowed: true, false/,
    ],
    ["no list", { user: { deny: "x" } }, /deny is "x"; allowed: a list of patterns/],
    [
      "a pattern that is not understood",
      { user: { deny: ["@(a)"] } },
      /deny is .*allowed: a list of patterns/,
    ],
    [
      "a wrong limit",
      { user: { limits: { sizes: 1 } } },
      /limits is \{"sizes":1\}; allowed: an object with numbers/,
    ],
    ["a limit of 0", { env: { KEDGE_LIMITS: "wait=0" } }, /KEDGE_LIMITS: limits is wait=0; allowed/],
    ["no number", { env: { KEDGE_LIMITS: "wait=soon" } }, /KEDGE_LIMITS/],
    [
      "a variable",
      { env: { KEDGE_GATE: "maybe" } },
      /environment variable KEDGE_GATE: gate is maybe; allowed: "lines"/,
    ],
    [
      "a switch",
      { env: { KEDGE_FAIL_CLOSED: "ja" } },
      /KEDGE_FAIL_CLOSED: failClosed is ja; allowed: true, false/,
    ],
    ["a flag", { flags: { anchors: "hex8" } as never }, /command line: anchors is "hex8"/],
    ["no JSON", { project: "gate:\n  file\n" }, /\.kedge\.json is not JSON: Unexpected token 'g'$/],
    ["no JSON", { project: '{"gate": }' }, /\.kedge\.json is not JSON: /],
    ["no object", { project: [] }, /\.kedge\.json does not hold an object/],
    [
      "a root outside, from the workspace",
      { project: { roots: ["../.."] } },
      /roots has "\.\.\/\.\."; .*inside it/,
    ],
    [
      "a permission, from the workspace",
      { project: { deny: ["!*.pem"] } },
      /deny has "!\*\.pem"; only the user's own/,
    ],
  ];
  test.each(cases)("%s", (_, given, message) => {
    expect(() => load(newGround(), given)).toThrow(message);
  });
});

test("roots in the workspace's file are inside it; a mark for editors is let pass", () => {
  const at = newGround();
  const { settings } = load(at, { project: { $schema: "x", roots: ["packages/a", "."] } });
  expect(settings).toEqual({ roots: [join(at.root, "packages/a"), at.root] });
});

describe("whether what cannot be checked is refused", () => {
  const closed = '{"failClosed":true}';
  const cases: [string, Given, boolean][] = [
    ["nobody says so", {}, false],
    ["a file says so", { project: closed }, true],
    ["the stronger says no", { user: closed, env: { KEDGE_FAIL_CLOSED: "0" } }, false],
    ["the file that is wrong says so", { project: '{"failClosed":true,"gat":1}' }, true],
    ["the file that is no JSON says so", { project: '\ufeff{\n  "failClosed" : true,\n}' }, true],
    ["the other file says so", { project: "{", user: closed }, true],
    [
      "the file that is wrong says no, the other yes",
      { project: '{"failClosed":false,"a":1}', user: closed },
      true,
    ],
    ["the other variable is wrong", { user: closed, env: { KEDGE_GATE: "maybe" } }, true],
    ["its own variable is wrong", { user: closed, env: { KEDGE_FAIL_CLOSED: "ja" } }, true],
    ["the environment says so", { project: "{", env: { KEDGE_FAIL_CLOSED: "true" } }, true],
    ["the environment says no", { project: '{"failClosed":true,', env: { KEDGE_FAIL_CLOSED: "0" } }, false],
    ["it stands elsewhere in the file", { project: '{"gat":{"failClosed":true}}' }, false],
    ["the file is wrong and says nothing", { project: '{"failClosed":"true"}', user: "{" }, false],
  ];
  test.each(cases)("%s", (_, given, isClosed) => {
    expect(failsClosed(optionsFor(newGround(), given))).toBe(isClosed);
  });

  test("a folder where a file should be", () => {
    const at = newGround();
    mkdirSync(join(at.root, ".kedge.json"));
    expect(failsClosed(optionsFor(at, {}))).toBe(false);
    expect(failsClosed(optionsFor(at, { user: closed }))).toBe(true);
  });
});
