import { expect, test } from "vitest";
import { jsonLines, Place } from "../cli/support.js";
import { madeRepository, repository } from "./repository.js";

test("kedge replay scores the history it stands in, twice the same, and shows a case", async () => {
  const place = await madeRepository();
  const plain = ["replay", "--cases", "12", "--seed", "s"];
  const args = [...plain, "--tables"];
  const { status, stdout, stderr } = place.run(args);
  expect([status, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^\d+ cases from .*, seed s, set [0-9a-f]{16}$/m);
  expect(stdout.replaceAll("\n", " ")).toMatch(
    / {2}Of \d+ edits [^|]*writes none in a wrong place\. Exact string replacement/,
  );
  expect(stdout).toMatch(/^kedge, session .* 0$/m);
  expect(place.run(args).stdout).toBe(stdout);
  const [set, ours] = jsonLines<{ hash?: string; classes?: Record<string, { wrongIds: string[] }> }>(
    place.run([...args, "--json"]).stdout,
  );
  expect(stdout).toContain(set?.hash);
  const verdict = place.run(plain);
  expect(verdict.stdout.split("\n\n")).toHaveLength(2);
  expect(stdout).toContain(verdict.stdout.split("\n\n")[1]);
  expect(verdict.stderr).toBe(
    "kedge: all ways of editing, case by case: kedge replay --cases 12 --seed s --tables\n",
  );
  expect(Object.values(ours?.classes ?? {}).flatMap(({ wrongIds }) => wrongIds)).toEqual([]);
  const id = /--show ([0-9a-f]+)/.exec(stdout)?.[1] as string;
  expect(place.run([...args, "--show", id]).stdout).toContain(`case ${id}:`);
});

test("what cannot be replayed is said in one line", () => {
  const place = new Place();
  const none = place.run(["replay"], { env: { GIT_CEILING_DIRECTORIES: place.scratch } });
  expect(none.status).toBe(1);
  expect(none.stderr).toMatch(/not a git repository/);
  expect(place.run(["replay", "--set", "nowhere"]).stderr).toMatch(/nowhere has no cases/);
  place.put("set/blobs.jsonl.gz", "no gzip");
  const { status, stderr } = place.run(["replay", "--set", "set"]);
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(/^kedge: .*blobs\.jsonl\.gz: incorrect header.*\n$/),
  ]);
});

test("a peer that does not keep to the protocol is named, and ended", async () => {
  const place = await madeRepository();
  const peer = "odd=echo hi; cat >/dev/null";
  const { status, stderr } = place.run(["replay", "--cases", "2", "--peer", peer]);
  expect([status, stderr]).toEqual([1, "kedge: odd answered no JSON: hi\n"]);
});

test("a history that gives no case says why", () => {
  const short = repository(["a", "b", "c"].map((text) => ["file", `${text}\n`]));
  expect(short.run(["replay"]).stderr).toMatch(/no text of 20 to 3,000 lines that was changed twice/);
  const rewritten = ["a", "b", "c"].map((word): [string, string] => [
    "file",
    Array.from({ length: 500 }, (_, at) => `${word} ${at}\n`).join(""),
  ]);
  const { status, stderr } = repository(rewritten).run(["replay"]);
  expect([status, stderr]).toEqual([
    1,
    "kedge: no case can be made from this history: more than 400 lines differ (1)\n",
  ]);
});
