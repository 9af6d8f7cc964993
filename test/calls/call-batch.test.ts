import { describe, expect, it } from "vitest";
import type { FileRequest } from "../../src/calls/call.js";
import type { Edit } from "../../src/edits/index.js";
import { editsFromJson } from "../../src/edits/index.js";
import type { EditRequest } from "../../src/session/index.js";
import { type Bench, bench, on, outcome, tag } from "../support/session.js";

const three = "a b c";
const set = (file: string, line: number, text: string) => on(three, file).set(line, text) as FileRequest;
const whole = (path: string, edit: Edit): FileRequest => ({
  path,
  edits: [edit],
});
const moved = (path: string, to: string) => whole(path, { op: "move_file", to });
const created = (path: string, text = "new") => whole(path, { op: "create_file", text });
const deleted = (path: string) => whole(path, { op: "delete_file" });

async function two(options: Parameters<typeof bench>[1] = {}): Promise<Bench> {
  const made = bench({ "a.ts": three, "b.ts": three }, options);
  for (const path of ["a.ts", "b.ts"]) await made.session.read({ path });
  return made;
}

const both = ({ words }: Bench) => [words("a.ts"), words("b.ts")];

describe("a batch", () => {
  it("changes all its files", async () => {
    const made = await two();
    const result = await made.session.multiEdit({ files: [set("a.ts", 1, "A"), set("b.ts", 3, "C")] });
    expect(result.details).toMatchObject({ status: "applied", files: [{ path: "a.ts" }, { path: "b.ts" }] });
    expect(both(made)).toEqual(["A b c", "a b C"]);
  });

  it.each<[string, FileRequest, string]>([
    ["is stale", set("b.ts", 2, "x"), "!stale"],
    ["is not there", set("none", 1, "x"), "!not_found"],
    [
      "has a broken edit",
      { path: "b.ts", edits: editsFromJson([{ op: "set_line", anchor: tag(three, 1) }]) },
      "!bad_request",
    ],
    ["exists already", created("b.ts"), "!exists"],
  ])("is refused whole if one file %s", async (_, other, code) => {
    const made = await two();
    made.rudely("a X c", "b.ts");
    expect(outcome(await made.session.multiEdit({ files: [set("a.ts", 1, "A"), other] }))).toBe(code);
    expect(both(made)).toEqual([three, "a X c"]);
  });

  it("is refused whole if one file was not read, and says which", async () => {
    const made = bench({ "a.ts": three, "b.ts": three });
    await made.session.read({ path: "a.ts" });
    const result = await made.session.multiEdit({ files: [set("a.ts", 1, "A"), set("b.ts", 1, "B")] });
    expect(result.text).toContain("b.ts was not read in this session: call read on it first");
    expect(result.text).not.toContain("a.ts");
    expect(both(made)).toEqual([three, three]);
  });

  it("tells what a dry run of it would do, and that nothing is done", async () => {
    const made = await two();
    const files = [deleted("a.ts"), moved("b.ts", "c.ts"), created("d.ts")];
    const { text, details } = await made.session.multiEdit({ files, dryRun: true });
    const dry = "Dry run: nothing was written.";
    expect(text.match(/^Dry run.*$/gm)).toEqual([
      `${dry} a.ts: would be deleted`,
      `${dry} b.ts: would be moved to c.ts`,
      `${dry} d.ts would be created (1 line)`,
    ]);
    expect(text).toContain("--- a/a.ts\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-a\n-b\n-c\n");
    expect(text).toContain("--- /dev/null\n+++ b/d.ts\n@@ -0,0 +1,1 @@\n+new\n");
    expect(details).toMatchObject({ status: "dry_run" });
    expect([...both(made), made.words("d.ts")]).toEqual([three, three, null]);
  });

  it("says where a file went that it edits, too", async () => {
    const made = await two();
    const { edits } = set("a.ts", 1, "A");
    const move: Edit = { op: "move_file", to: "c.ts" };
    const file: EditRequest = { path: "a.ts", edits: [...(edits as unknown[]), move] } as FileRequest;
    const { text } = await made.session.multiEdit({ files: [file] });
    expect(text).toMatch(/^a\.ts edited, moved to c\.ts; keep using the anchors/);
    expect(made.words("c.ts")).toBe("A b c");
  });

  it("takes a file named twice for one list, also in another case", async () => {
    const made = await two({ ignoreCase: true });
    expect(outcome(await made.session.multiEdit({ files: [set("a.ts", 1, "A"), set("A.TS", 3, "C")] }))).toBe(
      "applied",
    );
    expect(made.words("a.ts")).toBe("A b C");
    const clash = await made.session.multiEdit({ files: [set("b.ts", 2, "x"), set("B.ts", 2, "y")] });
    expect(outcome(clash)).toBe("!overlap");
  });
});

describe("whole files in a batch", () => {
  it("are created, deleted and moved together", async () => {
    const made = await two();
    const files = [created("new", "n"), deleted("a.ts"), moved("b.ts", "c.ts")];
    expect(outcome(await made.session.multiEdit({ files }))).toBe("applied");
    expect(["new", "a.ts", "b.ts", "c.ts"].map((path) => made.words(path))).toEqual(["n", null, null, three]);
  });

  it("are moved with edits, which speak of the file as shown", async () => {
    const made = await two();
    const edit: Edit = { op: "set_line", anchor: tag(three, 2), text: "B" };
    const files: FileRequest[] = [{ path: "a.ts", edits: [{ op: "move_file", to: "c.ts" }, edit] }];
    expect(outcome(await made.session.multiEdit({ files }))).toBe("applied");
    expect([made.words("a.ts"), made.words("c.ts")]).toEqual([null, "a B c"]);
  });

  it("take along what was shown of them", async () => {
    const made = await two();
    await made.session.multiEdit({ files: [moved("a.ts", "c.ts")] });
    expect(outcome(await made.session.edit(set("c.ts", 2, "B")))).toBe("applied");
    expect(outcome(await made.session.edit(set("a.ts", 2, "B")))).toBe("!not_found");
  });

  it("are refused in a call of one file", async () => {
    const { session } = await two();
    expect(outcome(await session.edit(deleted("a.ts")))).toBe("!bad_request");
  });

  it.each<[string, FileRequest, string]>([
    ["created", whole("new", { op: "create_file", text: "n" }), '{"op":"create_file","text":…}'],
    ["deleted", deleted("a.ts"), '{"op":"delete_file"}'],
    ["moved", moved("a.ts", "c.ts"), '{"op":"move_file","to":"c.ts"}'],
    [
      "moved and edited",
      {
        path: "a.ts",
        edits: [
          { op: "move_file", to: "c.ts" },
          { op: "append", text: "x" },
        ],
      },
      '{"op":"move_file","to":"c.ts"},…',
    ],
  ])("are %s by the batch that a refusal names", async (_, request, edits) => {
    const { session } = await two();
    const { text } = await session.edit(request);
    expect(text).toContain(`: send multiEdit {"files":[{"path":"${request.path}","edits":[${edits}]}]}`);
    const shell = bench("a b", { door: { read: () => "", retry: () => "" } }).session;
    expect((await shell.edit(request)).text).toContain(`: send a batch, {"files":`);
  });

  it.each<[string, readonly FileRequest[]]>([
    ["edited and deleted", [set("a.ts", 1, "A"), deleted("a.ts")]],
    ["created and edited", [created("new"), whole("new", { op: "append", text: "x" })]],
    ["created twice", [created("new"), created("new")]],
    ["deleted and moved", [deleted("a.ts"), moved("a.ts", "c.ts")]],
    ["moved to one place", [moved("a.ts", "c.ts"), moved("b.ts", "c.ts")]],
    ["moved to where another is created", [moved("a.ts", "c.ts"), created("c.ts")]],
    ["moved onto another of the batch", [moved("a.ts", "b.ts"), deleted("b.ts")]],
  ])("are not %s at once", async (_, files) => {
    const made = await two();
    expect(outcome(await made.session.multiEdit({ files }))).toBe("!bad_request");
    expect(both(made)).toEqual([three, three]);
  });

  it("are not moved over another file", async () => {
    const made = await two();
    expect(outcome(await made.session.multiEdit({ files: [moved("a.ts", "b.ts")] }))).toBe("!exists");
    expect(both(made)).toEqual([three, three]);
  });
});

describe("a plan", () => {
  it("that is refused names the call that does it, unless a dry run was planned", async () => {
    const made = await two();
    made.rudely("a X c", "a.ts");
    const { result } = await made.session.plan(set("a.ts", 2, "B"));
    expect(result.text).toMatch(/Send \{"path":"a\.ts","retry":"\w+"\};/);
    const dry = await made.session.plan({ ...set("a.ts", 2, "C"), dryRun: true });
    expect(dry.result.text).toMatch(/Send \{"path":"a\.ts","retry":"\w+","dryRun":true\};/);
  });

  it("shows what would be done, and does nothing", async () => {
    const made = await two();
    const { result } = await made.session.plan({ files: [set("a.ts", 1, "A"), set("b.ts", 2, "B")] });
    expect(outcome(result)).toBe("dry_run");
    expect(result.text).toContain("-a\n+A");
    expect(result.text).toContain("-b\n+B");
    expect(both(made)).toEqual([three, three]);
  });

  it("is committed on the file as it is then", async () => {
    const made = await two();
    const plan = await made.session.plan(set("a.ts", 3, "C"));
    made.rudely("top a b c", "a.ts");
    expect(outcome(await made.session.commit(plan))).toBe("applied");
    expect(made.words("a.ts")).toBe("top a b C");
  });

  it("is refused at its commit, if others changed what it touches", async () => {
    const made = await two();
    const plan = await made.session.plan(set("a.ts", 3, "C"));
    made.rudely("a b X", "a.ts");
    expect(outcome(await made.session.commit(plan))).toBe("!stale");
    expect(made.words("a.ts")).toBe("a b X");
  });

  it("is done once", async () => {
    const made = await two();
    const plan = await made.session.plan(on(three, "a.ts").after(1, "n"));
    expect(outcome(await made.session.commit(plan))).toBe("applied");
    expect(outcome(await made.session.commit(plan))).toBe("noop");
    expect(made.words("a.ts")).toBe("a n b c");
  });

  it("that was refused has nothing to commit", async () => {
    const made = await two();
    const plan = await made.session.plan(set("none", 1, "x"));
    expect([outcome(plan.result), outcome(await made.session.commit(plan))]).toEqual([
      "!not_found",
      "!not_found",
    ]);
  });
});

describe("at once", () => {
  it("agents that edit one file lose nothing of each other", async () => {
    const lines = Array.from({ length: 20 }, (_, at) => `x${at}`);
    const made = bench(lines.join(" "));
    const path = "src/a.ts";
    const agents = lines.map((_, at) => made.session.as(`agent ${at}`));
    await Promise.all(agents.map((agent) => agent.read({ path })));
    const edits = agents.map((agent, at) =>
      at % 2 === 0 ? agent.edit(on(lines.join(" ")).set(at + 1, `y${at}`)) : agent.grep({ pattern: "x" }),
    );
    const results = await Promise.all(edits);
    expect(results.every(({ isError }) => !isError)).toBe(true);
    expect(made.words()).toBe(lines.map((line, at) => (at % 2 === 0 ? `y${at}` : line)).join(" "));
  });
});
