import { audience, nameOfAgent, renameAgent } from "../../../ledger/index.js";
import { tokensRecord } from "../../../ports/index.js";
import { Session } from "../../../session/index.js";
import { displayName, visible } from "../../../text/index.js";
import { UsageError } from "../../args.js";
import type { Context, Run } from "../../context.js";
import { done } from "../../flag-types.js";
import { type Opened, open } from "../../open-workspace.js";
import { agentNamed, formatAge } from "../../print/log-rows.js";
import { tableText } from "../../print/output.js";
import { grouped } from "./statistics.js";

export const run: Run = async (context) => {
  const { args } = context;
  const action = args.positionals[0] as "list" | "name" | "fold" | "end" | "purge";
  if (action !== "name" && args.positionals.length > 1)
    throw new UsageError(`${action} takes no further argument`, "see: kedge session --help");
  if (action === "purge" && args.has("session"))
    throw new UsageError(
      "purge concerns the whole workspace",
      "for one agent: kedge session end --session ID",
    );
  const opened = await open(context);
  if (action === "list") return list(context, opened);
  if (action === "name") return rename(context, opened);
  if (action === "purge") return purge(context, opened);
  return forget(context, opened, action);
};

interface Agent {
  readonly session: string;
  /** The first words of its first prompt, or what the person calls it. */
  readonly name: string | null;
  /** Files with lines that count as shown to it. */
  readonly files: number;
  readonly commits: number;
  readonly refusals: number;
  /** Milliseconds since 1970; null if it has written nothing. */
  readonly last: number | null;
  readonly isCaller: boolean;
}

async function list({ args, output: { out } }: Context, { store, identity }: Opened): Promise<number> {
  const entries = (await store.journal()).filter(({ initial }) => !initial);
  const files = await audience(store);
  const byAgent = grouped(entries, ({ agent }) => agent);
  const names = new Set([...files.keys(), ...byAgent.keys(), identity.id]);
  const called = new Map<string, string | null>();
  for (const session of names) called.set(session, await nameOfAgent(session, store));
  const agents = [...names].map((session): Agent => {
    const own = byAgent.get(session) ?? [];
    return {
      session,
      name: called.get(session) ?? null,
      files: files.get(session) ?? 0,
      commits: own.filter(({ kind }) => kind === "commit").length,
      refusals: own.filter(({ kind }) => kind === "refusal").length,
      last: own.at(-1)?.time ?? null,
      isCaller: session === identity.id,
    };
  });
  agents.sort((one, two) => (two.last ?? 0) - (one.last ?? 0));
  if (args.has("json")) {
    for (const agent of agents) out.line(JSON.stringify(agent));
    return done;
  }
  const now = Date.now();
  const rows = agents.map(({ session, name, files, commits, refusals, last, isCaller }) => [
    // A model may read what is piped: the words of a prompt are for the person alone.
    `${displayName(session)}${name === null || !out.isTerminal ? "" : ` ${name}`}${isCaller ? " (you)" : ""}`,
    String(files),
    String(commits),
    String(refusals),
    last === null ? "-" : formatAge(now - last),
  ]);
  const columns = [
    { title: "session", shrinks: "end" as const },
    { title: "files", right: true },
    { title: "edits", right: true },
    { title: "refusals", right: true },
    { title: "last" },
  ];
  for (const line of tableText(columns, rows, out)) out.line(line);
  return done;
}

async function rename({ args, output }: Context, { store }: Opened): Promise<number> {
  const [, agent, name] = args.positionals;
  if (agent === undefined || name === undefined)
    throw new UsageError("name needs AGENT and NAME", "kedge session list shows the agents");
  const session = await agentNamed(agent, store);
  const given = await renameAgent(session, name, store);
  if (args.has("json")) output.out.line(JSON.stringify({ action: "name", session, name: given }));
  else output.out.line(`${visible(displayName(session))} is called ${given} on this machine`);
  return done;
}

/** A fold may be configured away; an end never is. */
async function forget(context: Context, opened: Opened, action: "fold" | "end"): Promise<number> {
  const { args, output } = context;
  const { settings, options, identity, store } = opened;
  const known = await audience(store);
  // The list names agents in short.
  const short = [...known.keys()].filter((agent) => displayName(agent) === identity.id);
  const session = known.has(identity.id) || short.length !== 1 ? identity.id : (short[0] as string);
  const name = visible(displayName(session));
  const kept = action === "fold" && settings.keepOnFold === true;
  const isKnown = known.has(session);
  if (isKnown) await new Session({ ...options, agent: session, keepOnFold: kept }).fold();
  if (args.has("json")) output.out.line(JSON.stringify({ action, session, kept }));
  else if (!isKnown) output.out.line(`${name}: nothing was shown to it here, so there is nothing to forget`);
  else if (kept) output.out.line(`${name}: nothing forgotten, since keepOnFold is set`);
  else output.out.line(`${name}: nothing counts as shown any more; the next edit needs a read`);
  return done;
}

async function purge({ args, output }: Context, { store, workspace }: Opened): Promise<number> {
  const folder = workspace.root;
  if (!args.has("yes"))
    throw new UsageError(
      `this deletes the record of ${visible(folder)}: what was shown, the journal, and with it every undo`,
      "if that is meant: kedge session purge --yes",
    );
  await store.purge();
  if (args.has("json")) {
    output.out.line(JSON.stringify({ action: "purge", folder }));
    return done;
  }
  const tokens = (await store.record(tokensRecord)) ? "; tokens stay good until kedge token revoke" : "";
  output.out.line(`the record of ${visible(folder)} is deleted; no file of it was touched${tokens}`);
  return done;
}
