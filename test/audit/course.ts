/** What an agent does in the sessions that real clients recorded, step by step, and what an audit has to count of it. */
import type { Agent } from "../clients/stage.js";

function numbered(name: string): string {
  const lines = Array.from({ length: 20 }, (_, at) =>
    at % 4 === 3 ? "" : `    const ${name}${at + 1} = compute(${at + 1}, "${name}");`,
  );
  return lines.map((line) => `${line}\n`).join("");
}

export const files = {
  "src/a.ts": `export function first() {\n${numbered("alpha")}}\n`,
  "src/b.ts": `export function second() {\n${numbered("beta")}}\n`,
  "src/c.ts": `export function third() {\n${numbered("gamma")}}\n`,
};

const alpha = (at: number, indent = "    "): string => `${indent}const alpha${at} = compute(${at}, "alpha");`;

export async function play(agent: Agent): Promise<void> {
  await agent.read("src/a.ts");
  await agent.edit("src/a.ts", alpha(2), '    const alpha2 = compute(22, "alpha");');
  // Only the blanks are wrong; the client refuses it, or takes it with the wrong blanks.
  await agent.edit(
    "src/a.ts",
    `${alpha(5, "\t")}\n${alpha(6, "\t")}`,
    "\tconst alpha5 = 5;\n\tconst alpha6 = 6;",
  );
  await agent.read("src/a.ts", { first: 5, count: 5 });
  await agent.edit("src/a.ts", `${alpha(5)}\n${alpha(6)}`, "    const alpha5 = 5;\n    const alpha6 = 6;");
  await agent.edit("src/a.ts", "const nothing = here;", "const nothing = there;");
  await agent.edit("src/a.ts", "compute(", "calculate(");
  await agent.read("src/c.ts");
  await agent.read("src/c.ts");
  await agent.shell("sed -i s/gamma2/delta2/ src/c.ts");
  await agent.edit("src/c.ts", '    const gamma2 = compute(2, "gamma");', "    const gamma2 = 2;");
  // Nobody has read it.
  await agent.write("src/b.ts", "export const second = 2;\n");
  await agent.write("src/d.ts", "export const fourth = 4;\n");
  // Takes the edits above away.
  await agent.shell("git checkout src/a.ts");
  await agent.read("src/a.ts");
  await agent.edit("src/a.ts", alpha(9), "    const alpha9 = 9;");
}

const none = { total: 0, blanks: 0, notFound: 0, notRead: 0, several: 0, stale: 0, declined: 0, other: 0 };
const usual = {
  ...{ sessions: 1, agents: 1, edits: 9 },
  ...{ shellChanges: 1, repeatedReads: 2, lostByCommands: 1 },
};

/** What the audit says of each recorded session, but for its cases. */
const recorded = {
  // It refuses the wrong blanks and the stale edit, and lets the unread file be written over.
  "claude-code-2.1.325": {
    ...usual,
    failed: { ...none, total: 4, blanks: 1, notFound: 1, several: 1, stale: 1 },
    recovery: { calls: 6, characters: 2393 },
    repeatedReads: 3,
    undecided: 1,
    kedge: { healed: 1, refusedRightly: 1, toldEarly: 0, inTheWay: 0 },
  },
  // It also refuses to write over the unread file.
  "claude-code-2.1.197": {
    ...usual,
    failed: { ...none, total: 5, blanks: 1, notFound: 1, notRead: 1, several: 1, stale: 1 },
    recovery: { calls: 6, characters: 1991 },
    repeatedReads: 3,
    undecided: 1,
    kedge: { healed: 1, refusedRightly: 0, toldEarly: 0, inTheWay: 0 },
  },
  // It refuses the wrong blanks. Of files that were not read it keeps no text: whether one was there cannot be told.
  "pi-0.73.1": {
    ...usual,
    failed: { ...none, total: 4, blanks: 1, notFound: 2, several: 1 },
    recovery: { calls: 6, characters: 2165 },
    repeatedReads: 3,
    undecided: 3,
    kedge: { healed: 1, refusedRightly: 0, toldEarly: 0, inTheWay: 0 },
  },
  // It takes the wrong blanks, and so finds the right ones nowhere afterwards.
  "gemini-cli-0.61.0": {
    ...usual,
    failed: { ...none, total: 4, notFound: 1, several: 3 },
    recovery: { calls: 5, characters: 2516 },
    undecided: 0,
    kedge: { healed: 1, refusedRightly: 1, toldEarly: 0, inTheWay: 0 },
  },
  "codex-0.166.0": {
    ...usual,
    failed: { ...none, total: 4, notFound: 4 },
    recovery: { calls: 5, characters: 2043 },
    undecided: 3,
    kedge: { healed: 0, refusedRightly: 0, toldEarly: 0, inTheWay: 0 },
  },
  // After an edit with the wrong blanks its text is not certain until it is read again.
  "opencode-1.18.33": {
    ...usual,
    failed: { ...none, total: 4, notFound: 3, several: 1 },
    recovery: { calls: 5, characters: 1819 },
    undecided: 4,
    kedge: { healed: 1, refusedRightly: 0, toldEarly: 0, inTheWay: 0 },
  },
};

/** Later builds play the course alike. */
export const expected: Readonly<Record<string, object>> = {
  ...recorded,
  "claude-code-2.1.328": recorded["claude-code-2.1.325"],
  "codex-0.169.0": recorded["codex-0.166.0"],
};

/** What the audit printed, without its cases. */
export function numbersOf(printed: string): object {
  const { cases: _, ...numbers } = JSON.parse(printed) as { cases: unknown };
  return numbers;
}
