/** A made-up tree with agents at work: for the page's own tests and pictures. */
import type { ViewAgent, ViewEvent, ViewFile, ViewState } from "../../src/view/contract.js";

const hour = 3_600_000;

/** Dice that fall the same for one seed. */
function dice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const clients = ["claude-code", "codex", "opencode", "gemini-cli", "pi"];
const names = [
  "src/auth/session.ts",
  "src/auth/login.ts",
  "src/api/routes.ts",
  "src/ui/App.tsx",
  "README.md",
  "Makefile",
];
const prompts = [
  "add rate limits to login",
  "fix the flaky test",
  "rename User to Account",
  "write the docs",
  "speed up",
];

export interface Sample {
  readonly state: ViewState;
  readonly events: readonly ViewEvent[];
}

/** So many agents on so many files, the last hours of them. */
export function sample({
  agents = 3,
  files = 6,
  events = 60,
  seed = 1,
  time = Date.UTC(2026, 10, 19, 12),
} = {}): Sample {
  const roll = dice(seed);
  const people: ViewAgent[] = Array.from({ length: agents }, (_, at) => {
    const client = clients[at % clients.length] as string;
    const group = at === 0 ? "needs" : at < 3 || at % 4 === 0 ? "working" : "quiet";
    return {
      id: `agent-${at}`,
      name: `${client}:${(0x7f3a + at * 977).toString(16).slice(-4)}`,
      words: at % 3 === 2 ? null : (prompts[at % prompts.length] as string),
      client,
      hue: 95 + ((at * 97) % 250),
      group,
      now: {
        tool: at % 3 === 1 ? "shell" : "Edit",
        path: names[at % names.length] as string,
        lines: [{ start: 10 + at, end: 14 + at }],
        command: at % 3 === 1 ? "npm test -- auth" : null,
        time: time - at * 45_000,
        code: at === 0 ? "stale" : null,
      },
      seen: time - at * 45_000,
      edits: 3 + roll(30),
      refusals: roll(3),
      behind: at % 2 === 0 ? 3 + roll(20) : 0,
    };
  });
  const span = (most: number) => {
    const start = 1 + roll(most - 12);
    return { start, end: start + roll(12) };
  };
  const tree: ViewFile[] = Array.from({ length: files }, (_, at) => {
    const lines = 60 + roll(400);
    const here = people.filter((_one, agent) => (agent + at) % 3 !== 2).slice(0, 6);
    return {
      path: at < names.length ? (names[at] as string) : `src/generated/module-${at}.ts`,
      lines,
      time: time - at * 90_000,
      edits: 1 + roll(20),
      lanes: here.map(({ id, behind }) => ({
        agent: id,
        wrote: [span(lines)],
        shown: [{ start: 1, end: Math.floor(lines * 0.7) }],
        stale: behind > 0 && at < 2 ? [span(lines)] : [],
      })),
    };
  });
  const stale = tree.flatMap(({ path, lanes }) =>
    lanes.flatMap((lane) =>
      lane.stale.length === 0
        ? []
        : [
            {
              agent: lane.agent,
              path,
              lines: lane.stale,
              removed: 0,
              by: ["agent-1"],
              since: time - 120_000,
            },
          ],
    ),
  );
  const diff = `--- a/${names[0]}\n+++ b/${names[0]}\n@@ -40,3 +40,4 @@\n export function open() {\n-  return 1;\n+  const limit = 5;\n+  return limit;\n }\n`;
  const lost = [
    {
      ...{
        id: "m1-aa",
        agent: "agent-0",
        path: names[0] as string,
        lines: [{ start: 40, end: 43 }],
        what: "lines",
      },
      ...{ gone: 2, time: time - 400_000, kept: true, diff },
      lost: { time: time - 30_000, agent: "agent-1", command: "git checkout -- ." },
    },
  ];
  const kinds = ["commit", "commit", "commit", "refusal", "commit", "undo"];
  const past: ViewEvent[] = Array.from({ length: events }, (_, at) => {
    const kind = at === 1 ? "lost" : (kinds[roll(kinds.length)] as string);
    const agent = people[roll(Math.max(1, people.length))]?.id ?? "outside";
    return {
      id: `e${at}`,
      time: time - Math.floor((at / Math.max(1, events)) * hour),
      ...{ kind, agent, tool: kind === "undo" ? "undo" : "Edit", path: names[roll(names.length)] as string },
      ...{ lines: [span(100)], what: "edited" },
      relocated: roll(4) === 0 ? 1 : 0,
      code: kind === "refusal" ? "stale" : null,
      cause: kind === "refusal" ? "1 line has changed since last read, changed by codex:834b" : null,
      edits: kind === "lost" ? ["m1-aa"] : [],
      owners: kind === "lost" ? ["agent-0"] : [],
      canUndo: kind === "commit",
    };
  });
  const working = people.filter(({ group }) => group !== "quiet").length;
  const state: ViewState = {
    ...{ time, repository: "harbour", branch: "main", agents: people, files: tree, stale },
    lost: agents > 0 ? lost : [],
    counts: {
      ...{ agents, working, edits: 214, editsLastHour: 87, relocated: 31, refused: 6 },
      lost: agents > 0 ? 1 : 0,
    },
    actions: true,
  };
  return { state, events: past };
}
