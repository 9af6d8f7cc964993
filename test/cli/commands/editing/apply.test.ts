import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { four, jsonLines, Place, reader } from "../../support.js";

async function two() {
  const place = new Place({ "a.txt": four, "b.txt": "alpha\nbeta\n" });
  const a = await reader(place, "a.txt");
  const b = await reader(place, "b.txt");
  const files = [
    { path: "a.txt", edits: [{ op: "set_line", anchor: a(1), text: "ONE" }] },
    { path: "b.txt", edits: [{ op: "set_line", anchor: b(2), text: "BETA" }] },
  ];
  return { place, files, a, b };
}

describe("kedge apply", () => {
  test("a batch from stdin, by - or by itself", async () => {
    for (const args of [["apply"], ["apply", "-"]]) {
      const { place, files } = await two();
      const { status, stdout } = place.run(args, { input: JSON.stringify({ files }) });
      expect(status).toBe(0);
      expect(stdout).toMatch(/^a\.txt .*\n1#\w+\nb\.txt .*\n2#\w+\n$/);
      expect([place.text("a.txt"), place.text("b.txt")]).toEqual([
        "ONE\ntwo\nthree\nfour\n",
        "alpha\nBETA\n",
      ]);
    }
  });

  test("an ambiguous anchor by the handle of the line that is meant", () => {
    const place = new Place({ "a.txt": "head\none\n}\ntwo\n}\n" });
    const rows = place.ok("read", "a.txt").split("\n");
    const anchor = (line: number) => rows.find((row) => row.startsWith(`${line}#`))?.split("|")[0];
    const send = (request: object) => place.run(["apply", "--json"], { input: JSON.stringify(request) });
    send({ path: "a.txt", edits: [{ op: "insert_before", anchor: anchor(1), text: ["n1", "n2"] }] });
    place.ok("grep", "^}$", "a.txt");
    const call = { path: "a.txt", edits: [{ op: "set_line", anchor: anchor(5), text: "end" }] };
    const { status, stdout } = send(call);
    expect(status).toBe(5);
    const { places } = JSON.parse(stdout) as { places: { line: number; retry: string }[] };
    expect(places.map(({ line }) => line)).toEqual([5, 7]);
    expect(send({ path: "a.txt", retry: places[0]?.retry }).status).toBe(0);
    expect(place.text("a.txt")).toBe("n1\nn2\nhead\none\nend\ntwo\n}\n");
  });

  test("a request from a file, for one file, as a bare list", async () => {
    const { place, files } = await two();
    place.put("one.json", JSON.stringify(files[0]));
    place.ok("apply", "one.json");
    place.put("list.json", JSON.stringify([files[1]]));
    place.ok("apply", "list.json");
    expect([place.text("a.txt"), place.text("b.txt")]).toEqual(["ONE\ntwo\nthree\nfour\n", "alpha\nBETA\n"]);
  });

  test("all or nothing", async () => {
    const { place, files } = await two();
    place.put("b.txt", "alpha\nchanged\n");
    const { status, stderr } = place.run(["apply"], { input: JSON.stringify({ files }) });
    expect(status).toBe(5);
    expect(stderr).toContain("--- b.txt as shown\n+++ b.txt now\n");
    expect(place.text("a.txt")).toBe(four);
  });

  test("the retry of a batch is a handle alone", async () => {
    const { place, files } = await two();
    place.put("b.txt", "alpha\nchanged\n");
    const { stderr } = place.run(["apply"], { input: JSON.stringify({ files }) });
    const command = /run `(kedge .+)`; else/.exec(stderr)?.[1] as string;
    expect(command).toMatch(/^kedge retry r\w+$/);
    expect(place.shell(command).status).toBe(0);
    expect([place.text("a.txt"), place.text("b.txt")]).toEqual(["ONE\ntwo\nthree\nfour\n", "alpha\nBETA\n"]);
  });

  test("creates, deletes and moves files", async () => {
    const { place } = await two();
    const files = [
      { path: "new.txt", edits: [{ op: "create_file", text: "new\n" }] },
      { path: "a.txt", edits: [{ op: "move_file", to: "moved.txt" }] },
      { path: "b.txt", edits: [{ op: "delete_file" }] },
    ];
    place.run(["apply"], { input: JSON.stringify({ files }) });
    expect(["new.txt", "moved.txt", "a.txt", "b.txt"].map((name) => existsSync(place.path(name)))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  test("writes nothing in a dry run, asked for by flag or in the request", async () => {
    for (const [args, more] of [
      [["apply", "--dry-run"], {}],
      [["apply"], { dry_run: true }],
    ] as const) {
      const { place, files } = await two();
      const { stdout } = place.run(args, { input: JSON.stringify({ files, ...more }) });
      expect(stdout).toContain("-one\n+ONE\n");
      expect(stdout).toContain("-beta\n+BETA\n");
      expect(place.text("a.txt")).toBe(four);
    }
  });

  test("prints the details of every file with --json", async () => {
    const { place, files } = await two();
    const { stdout } = place.run(["apply", "--json"], { input: JSON.stringify({ files }) });
    expect(jsonLines(stdout)).toEqual([
      {
        status: "applied",
        files: [expect.objectContaining({ path: "a.txt" }), expect.objectContaining({ path: "b.txt" })],
        text: expect.stringMatching(/^a\.txt edited; .*\n1#\w+\nb\.txt edited; .*\n2#\w+$/),
      },
    ]);
  });

  test("refuses with --unmoved a batch in which one line moved", async () => {
    const { place, files } = await two();
    place.put("b.txt", "zero\nalpha\nbeta\n");
    const { status, stderr } = place.run(["apply", "--unmoved"], { input: JSON.stringify({ files }) });
    expect(status).toBe(5);
    expect(stderr).toMatch(/^b\.txt:\n2#\w+ is 3#\w+ now$/m);
    expect(place.text("a.txt")).toBe(four);
  });

  test.each<[string, string, string]>([
    ["no JSON", "{", "the request is not JSON"],
    ["two lines", "one\ntwo\n", "the request is not JSON: Unexpected token 'o'\n"],
    ["nothing", "\n", "the request is empty"],
    ["a number", "7", "the request is not an object"],
    ["nothing to do", "{}", "there are no files in the request"],
    ["a path that is none", '{"path":7,"edits":[]}', "path is not a string"],
    ["no edits", '{"path":"a.txt"}', "edits is missing"],
    ["no path", '{"files":[{"edits":[]}]}', "files[0] has no path"],
    ["no edits of a file", '{"files":[{"path":"a.txt"}]}', "files[0] has no edits"],
    ["a handle that is none", '{"retry":7}', "retry is a handle"],
    ["a handle nobody gave", '{"retry":"r999"}', "r999"],
    ["one file and several", '{"path":"a.txt","edits":[],"files":[]}', "path with edits, or files, not both"],
    ["edits of no file", '{"edits":[],"files":[{"path":"a.txt","edits":[]}]}', "or files, not both"],
    ["edits and a handle", '{"path":"a.txt","edits":[],"retry":"r7"}', "send retry or edits, not both"],
    ["files and a handle", '{"files":[],"retry":"r7"}', "send retry or files, not both"],
    ["a dry run or none", '{"path":"a.txt","edits":[],"dry_run":"yes"}', "dry_run is true or false"],
    ["who calls", '{"path":"a.txt","edits":[],"session":"s"}', "run kedge apply --session ID"],
    ["an unknown field", '{"path":"a.txt","edits":[],"dryrun":true}', 'unknown field "dryrun"'],
    [
      "a dry run of one file",
      '{"files":[{"path":"a.txt","edits":[],"dry_run":true}]}',
      'field "dry_run" in files[0]',
    ],
    ["an unknown op", '{"path":"a.txt","edits":[{"op":"frob"}]}', "frob"],
  ])("wrongly used: %s", async (_, input, message) => {
    const { place } = await two();
    const { status, stdout, stderr } = place.run(["apply"], { input });
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(message);
  });

  test("a request file that is not there", async () => {
    const { place } = await two();
    expect(place.run(["apply", "none.json"])).toMatchObject({ status: 1, stdout: "" });
  });
});
