/** A process with some agents, each with a line of its own in its file; the record is in a folder or in a database. */
import { fleetStore } from "../../src/fleet/index.js";
import { nodeFiles, nodeStore } from "../../src/node.js";
import { Session } from "../../src/session/session.js";

export interface Task {
  /** null: the record is in the state folder. */
  readonly url: string | null;
  readonly tree: string;
  readonly root: string;
  readonly state: string;
  /** The file of each agent. */
  readonly agents: readonly { readonly name: string; readonly path: string }[];
  /** Edits of each. */
  readonly count: number;
}

export interface Report {
  /** Milliseconds from the first call to the last. */
  readonly took: number;
  /** Milliseconds of each edit, with its waiting. */
  readonly each: readonly number[];
  readonly refused: number;
}

const wait = 300_000;

/** Reads, says that it is ready, and edits when its stdin ends. */
export async function runWorker(task: Task, ready: () => Promise<void>): Promise<Report> {
  const { url, tree, root, state } = task;
  const workspace = { root, key: root };
  const files = nodeFiles({ roots: [root], state, limits: { wait } });
  const store = url
    ? fleetStore({ ...{ url, tree, root, state, workspace, wait }, lease: 15_000 })
    : nodeStore({ state, workspace });
  const agents: { session: Session; path: string; anchor: string; name: string }[] = [];
  for (const { name, path } of task.agents) {
    const session = new Session({ files, store, agent: name, clock: Date.now });
    const { text } = await session.read({ path });
    const row = text.split("\n").find((one) => one.endsWith(`|here ${name}`));
    agents.push({ session, path, name, anchor: row?.split("|")[0] as string });
  }
  await ready();
  const each: number[] = [];
  let refused = 0;
  const started = performance.now();
  await Promise.all(
    agents.map(async ({ session, path, anchor, name }) => {
      for (let number = 0; number < task.count; number++) {
        const from = performance.now();
        for (;;) {
          const edits = [{ op: "insert_after" as const, anchor, text: `${name} ${number}` }];
          const { isError, text } = await session.edit({ path, edits });
          if (!isError) break;
          refused += 1;
          if (refused > 1000) throw new Error(text);
        }
        each.push(performance.now() - from);
      }
    }),
  );
  const took = performance.now() - started;
  if (url) await (store as ReturnType<typeof fleetStore>).end();
  return { took, each, refused };
}
