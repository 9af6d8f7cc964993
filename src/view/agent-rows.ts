/** The rows of the agents panel, from journal and lanes. */
import type { JournalEntry } from "../ports/index.js";
import { clientOf, outside, shortAgentName } from "../text/index.js";
import type { AgentGroup, LostWork, StaleView, ViewAgent } from "./contract.js";
import { stepOf } from "./view-events.js";
import { hour, lineCount } from "./words.js";

/** An agent seen within this time is at work. */
export const workingFor = 10 * 60_000;
/** An agent that was not seen for so long is left out, unless something of it is lost. */
export const agentsFor = 24 * hour;

interface Told {
  last: JournalEntry | null;
  time: number;
  edits: number;
  refusals: number;
}

/** Everything else that is known at the moment that is shown. */
export interface Moment {
  /** When each agent was shown something last, one item for each file. */
  readonly shown: readonly { readonly agent: string; readonly time: number }[];
  readonly lost: readonly LostWork[];
  readonly stale: readonly StaleView[];
  readonly now: number;
  words(agent: string): Promise<string | null>;
  hue(agent: string): number;
  path(file: string): string;
}

export function isEdit({ kind }: JournalEntry): boolean {
  return kind === "commit";
}

/** Returns the agents in a stable order: an agent moves when it begins, ends or needs somebody, not when it works. */
export async function agentRows(entries: readonly JournalEntry[], at: Moment): Promise<ViewAgent[]> {
  const { lost, now } = at;
  const owners = new Set(lost.map(({ agent }) => agent));
  const shown = [...toldOf(entries, at)].filter(([id, { time }]) => time > now - agentsFor || owners.has(id));
  // In the order in which they came, so that a colour stays with its agent.
  for (const [id] of shown) at.hue(id);
  const made = await Promise.all(shown.map(([id, told]) => agentRow(id, told, owners.has(id), at)));
  const rank: Readonly<Record<AgentGroup, number>> = { needs: 0, working: 1, quiet: 2 };
  return made.sort((one, two) => rank[one.group] - rank[two.group] || (one.id < two.id ? -1 : 1));
}

function toldOf(entries: readonly JournalEntry[], { shown, now }: Moment): Map<string, Told> {
  const found = new Map<string, Told>();
  const note = (agent: string): Told => {
    const one = found.get(agent) ?? { last: null, time: 0, edits: 0, refusals: 0 };
    found.set(agent, one);
    return one;
  };
  for (const entry of entries) {
    // A change of several possible authors is nobody's step.
    if (entry.agent === outside || entry.authors || entry.kind === "lost") continue;
    const one = note(entry.agent);
    one.last = entry;
    one.time = Math.max(one.time, entry.time);
    if (isEdit(entry)) one.edits += 1;
    if (entry.kind === "refusal") one.refusals += 1;
  }
  for (const { agent, time } of shown) {
    const one = note(agent);
    one.time = Math.max(one.time, Math.min(time, now));
  }
  return found;
}

async function agentRow(id: string, told: Told, isOwner: boolean, at: Moment): Promise<ViewAgent> {
  const { last, time, edits, refusals } = told;
  const { stale, now } = at;
  const views = stale.filter(({ agent }) => agent === id);
  const isRefused = last?.kind === "refusal" && last.time > now - workingFor;
  const isWorking = time > now - workingFor;
  return {
    ...{ id, name: shortAgentName(id), words: await at.words(id), client: clientOf(id), hue: at.hue(id) },
    group: isOwner || isRefused ? "needs" : isWorking ? "working" : "quiet",
    now: last && stepOf(last, at.path(last.file)),
    ...{ seen: time, edits, refusals },
    behind: views.reduce((sum, { lines, removed }) => sum + removed + lineCount(lines), 0),
  };
}
