import { type FleetStore, hidden, OtherTree, type StoreHealth } from "../../fleet/index.js";
import { findWorkspace, stateFolder } from "../../host/index.js";
import { chosenStore, loadConfig, openFleet, type Settings } from "../../workspace/index.js";
import type { Context } from "../context.js";
import { settingsOf } from "../open-workspace.js";
import type { Finding } from "./clients.js";

const name = "store";
/** Milliseconds. */
const slowTrip = 20;
const muchAhead = 5_000;

/** Returns the settings; null if they are wrong: the check of the configuration tells that. */
function settingsHere({ args, env, cwd }: Context, workspace: string): Settings | null {
  const flags = settingsOf(args, cwd);
  try {
    return loadConfig({ flags, env, workspace }).settings;
  } catch {
    return null;
  }
}

/** Checks the database in which this workspace is recorded, if it is in one. */
export async function storeHealth(context: Context): Promise<Finding[]> {
  const { env, cwd } = context;
  const workspace = findWorkspace(cwd);
  const settings = settingsHere(context, workspace.root);
  if (!settings) return [];
  const chosen = chosenStore(settings, workspace);
  const notes: string[] = [];
  const report = (line: string): void => void notes.push(line);
  const setup = { settings, workspace, report, state: stateFolder({ env }), isOnlooker: true };
  const store = openFleet(setup);
  if (!store || !chosen) return [];
  try {
    const health = await store.health();
    const findings = [
      ...findingsOf(health, `${hidden(chosen.url)}, tree ${chosen.tree}`),
      ...(await places(store)),
    ];
    return [...findings, ...notes.map((found) => ({ check: name, ok: false, found }))];
  } finally {
    await store.end();
  }
}

function findingsOf(health: StoreHealth, where: string): Finding[] {
  const { server, schema, trip, ahead, entries, agents, bytes, held } = health;
  const many = (count: number, one: string, more: string): string =>
    `${count.toLocaleString("en")} ${count === 1 ? one : more}`;
  const size = `${(bytes / 1_000_000).toFixed(1)} MB of ${many(entries, "entry", "entries")} by ${many(agents, "agent", "agents")}`;
  const found = `${where}: PostgreSQL ${server}, schema ${schema}; ${size}; a round trip takes ${trip.toFixed(1)} ms`;
  const findings: Finding[] = [{ check: name, ok: true, found }];
  if (trip > slowTrip)
    findings.push({
      check: name,
      ok: true,
      found: "the store is far away",
      advice: "an edit takes two round trips, a batch three",
    });
  if (Math.abs(ahead) > muchAhead)
    findings.push({
      ...{ check: name, ok: true, found: `its clock is ${Math.round(ahead / 1000)} s ahead of the one here` },
      advice: "locks do not depend on it; times in the log are those of the host that edits",
    });
  for (const { holder, silent, isBound } of held.filter((one) => one.silent > 0))
    findings.push({
      ...{ check: name, ok: !isBound },
      found: `process ${holder.pid} on ${holder.host} holds files, and is not heard of since its lease ended ${Math.round(silent / 1000)} s ago`,
      advice: isBound
        ? "it may be writing in place: a Kedge on that host puts it right; else it is taken over after an hour"
        : "the next call on one of these files takes them over",
    });
  return findings;
}

async function places(store: FleetStore): Promise<Finding[]> {
  const unsaid = await store.unsaid();
  const findings: Finding[] =
    unsaid === 0
      ? []
      : [{ check: name, ok: false, found: `${unsaid} calls of this host are not on record yet` }];
  try {
    await store.arrive();
    return findings;
  } catch (error) {
    if (!(error instanceof OtherTree)) throw error;
    return [...findings, { check: name, ok: false, found: error.message }];
  }
}
