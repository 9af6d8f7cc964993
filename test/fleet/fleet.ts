/** Hosts of a fleet, in one process: each with a state folder of its own. */
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FleetOptions, type FleetStore, fleetStore } from "../../src/fleet/index.js";

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
