/** Peers that do not answer, die, or will not end. */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Case } from "../../src/replay/cases/case.js";
import { generate } from "../../src/replay/cases/generate.js";
import { peer } from "../../src/replay/mechanisms/peer.js";
import { tablesText } from "../../src/replay/report.js";
import { score } from "../../src/replay/score.js";
import { program } from "../cli/support.js";
import { madeHistory } from "./history.js";
import { madeRepository } from "./repository.js";

let folder = "";
let cases: readonly Case[] = [];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "kedge-peers-"));
  const set = await generate({ source: madeHistory("peers", 6, 8), seed: "1", cases: 40 });
  cases = set.cases.filter((one) => one.sequence === null).slice(0, 8);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Refuses everything; `line` is what it does with a request first. Each start of it adds its process to `started`. */
function refuser(name: string, line: string): string {
  const file = join(folder, `${name}.cjs`);
  writeFileSync(
    file,
    `const fs = require("node:fs");
    fs.appendFileSync(${JSON.stringify(join(folder, `${name}.started`))}, process.pid + "\\n");
    let asked = 0;
    require("node:readline").createInterface({ input: process.stdin }).on("line", (text) => {
      const request = JSON.parse(text);
      ${line}
      console.log(JSON.stringify({ id: request.id, refused: "always" }));
    });`,
  );
  return `${name}="${process.execPath}" "${file}"`;
}

const started = (name: string): number[] =>
  readFileSync(join(folder, `${name}.started`), "utf8")
    .trim()
    .split("\n")
    .map(Number);

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

async function eventually(condition: () => boolean): Promise<void> {
  await expect.poll(condition, { interval: 50, timeout: 60_000 }).toBe(true);
}

test("a call without an answer is an outcome of its own, and the peer is started anew", async () => {
  const given = refuser("sleepy", "if (++asked === 2) { setInterval(() => {}, 1000); return; }");
  const { classes, sample } = await score(peer(given, { seconds: 1 }), cases);
  const tallies = Object.values(classes);
  const silent = tallies.reduce((sum, one) => sum + one.silent, 0);
  const all = tallies.reduce((sum, one) => sum + one.right + one.refused + one.wrong + one.silent, 0);
  expect(all).toBe(cases.length);
  expect(silent).toBeGreaterThan(1);
  expect(silent).toBeLessThan(cases.length);
  expect(tallies.flatMap(({ silentIds }) => silentIds)).toHaveLength(silent);
  expect(started("sleepy").length).toBeGreaterThan(1);
  await eventually(() => !started("sleepy").some(isRunning));
  const about = { name: "sleepy", short: "sleepy", about: "" };
  expect(tablesText([{ mechanism: about, sample, classes }])).toMatch(
    /no answer.*Without an answer, by class/s,
  );
});

test("one that never answers is asked three times, not once a case", async () => {
  const given = refuser("mute", "return;");
  const { classes } = await score(peer(given, { seconds: 1 }), cases);
  expect(started("mute")).toHaveLength(3);
  expect(Object.values(classes).reduce((sum, one) => sum + one.silent, 0)).toBe(cases.length);
});

test("a peer without a name or a command is no peer", () => {
  for (const given of ["node adapter.mjs", "=node", "mine=", "mine= "])
    expect(() => peer(given)).toThrow(/NAME=COMMAND/);
});

test("one that does not end when its input does is ended, with what it started", async () => {
  const given = refuser(
    "stubborn",
    `if (++asked === 1) {
      setInterval(() => {}, 1000);
      process.on("SIGTERM", () => {});
      const child = require("node:child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
      fs.appendFileSync(${JSON.stringify(join(folder, "stubborn.started"))}, child.pid + "\\n");
    }`,
  );
  await score(peer(given), cases.slice(0, 1));
  expect(started("stubborn")).toHaveLength(2);
  await eventually(() => !started("stubborn").some(isRunning));
});

test("Ctrl-C leaves no folder and no program behind", async () => {
  const given = refuser("busy", `process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); return;`);
  const temporary = mkdtempSync(join(folder, "tmp-"));
  const env = { ...process.env, TMPDIR: temporary };
  const args = ["replay", (await madeRepository()).folder, "--cases", "20", "--peer", given];
  for (const moment of [
    () => readdirSync(temporary).length > 0,
    () => existsSync(join(folder, "busy.started")),
  ]) {
    const child = spawn(process.execPath, [program, ...args], { env, stdio: "ignore" });
    const status = new Promise((resolve) => child.on("close", resolve));
    await eventually(moment);
    child.kill("SIGINT");
    expect(await status).toBe(130);
    expect(readdirSync(temporary)).toEqual([]);
  }
  await eventually(() => !started("busy").some(isRunning));
});
