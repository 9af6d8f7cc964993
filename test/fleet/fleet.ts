/** Hosts of a fleet, in one process: each with a state folder of its own. */
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { connect } from "../../src/fleet/database/connection.js";
import { type FleetOptions, type FleetStore, fleetStore } from "../../src/fleet/index.js";
import { nodeFiles } from "../../src/node.js";
import { Session } from "../../src/session/session.js";
import { databaseUrl } from "./database.js";

export interface Host {
  readonly store: FleetStore;
  readonly state: string;
  dispose(): Promise<void>;
}

/** A name that no other test has. */
export const newTree = (): string => `tree-${randomUUID()}`;

export function openHost(url: string, options: Partial<FleetOptions> = {}): Host {
  const state = mkdtempSync(join(tmpdir(), "kedge-host-"));
  mkdirSync(join(state, "state"));
  const root = options.root ?? "/work";
  const store = fleetStore({
    ...{ url, tree: newTree(), root, state: join(state, "state"), lease: 15_000 },
    ...{ workspace: { root, key: root }, report: () => {} },
    ...options,
  });
  return {
    ...{ store, state: join(state, "state") },
    async dispose() {
      await store.end();
      rmSync(state, { recursive: true, force: true });
    },
  };
}

/** A folder with a file of ten lines. */
export function newFolder(
  name = "tree",
  content = Array.from({ length: 10 }, (_, at) => `line ${at}`).join("\n"),
): string {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "kedge-fleet-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const root = join(base, name);
  mkdirSync(root);
  writeFileSync(join(root, "a.txt"), `${content}\n`);
  return root;
}

export function agentOn(root: string, tree: string, options: Partial<FleetOptions> = {}, agent = "one") {
  const host = openHost(options.url ?? (databaseUrl() as string), { root, tree, ...options });
  onTestFinished(() => host.dispose());
  const files = nodeFiles({ roots: [root], state: host.state });
  const session = new Session({ files, store: host.store, agent, clock: Date.now });
  return { ...host, session };
}

export const anchorOf = (text: string, line: number): string =>
  text
    .split("\n")
    .find((row) => row.startsWith(`${line}#`))
    ?.split("|")[0] ?? "";

/** A database of its own. */
export async function newDatabase(): Promise<string> {
  const name = `kedge_${Math.random().toString(36).slice(2)}`;
  const admin = await connect({ url: databaseUrl() as string, most: 1, patience: 10_000 });
  await admin.query(`create database ${name}`, []);
  onTestFinished(async () => {
    await admin.query(`drop database ${name} with (force)`, []);
    await admin.end();
  });
  const address = new URL(databaseUrl() as string);
  address.pathname = `/${name}`;
  return address.href;
}
