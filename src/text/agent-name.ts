/** The name of an agent as people and models read it: its client and a short id, never a full one. */

/** `process:codex-123-456-ab` is for machines: start time and boot only tell apart processes of one number. */
const processName = /^process:(.+)-(\d+)-[^-]*-[^-]*$/;
/** A conversation's id as clients give it: a UUID, or a long word of letters and digits. */
const longId = /^(?=.*\d)[0-9a-zA-Z_-]{12,}$/;
const shortLength = 4;

function shortId(id: string): string {
  // Some clients put the kind of an id before it: `ses_1234`.
  const [, kind = "", rest = id] = /^([a-z]+_)(.+)$/.exec(id) ?? [];
  return longId.test(id) ? kind + rest.slice(0, shortLength) : id;
}

/** Returns `claude-code:7f3a` for `claude-code:7f3a…`, and `claude-code:7f3a/1b2c` for its subagent. */
export function shortAgentName(agent: string): string {
  const told = processName.exec(agent);
  if (told) return `${told[1]} ${told[2]}`;
  const [main = "", ...subagents] = agent.split("/");
  const colon = main.indexOf(":");
  const short = colon < 0 ? main : `${main.slice(0, colon + 1)}${shortId(main.slice(colon + 1))}`;
  return [short, ...subagents.map(shortId)].join("/");
}

/** The author of changes that no agent made, as the journal has it. */
export const outside = "outside";

/** Returns the name that people read, of one author or of several possible ones. */
export function displayName(agent: string): string {
  const nameOf = (one: string): string => (one === outside ? "you or another program" : shortAgentName(one));
  return agent.split(" or ").map(nameOf).join(" or ");
}

/** Returns the client part of an agent's id: what stands before the colon. */
export function clientOf(agent: string): string {
  const colon = agent.indexOf(":");
  return colon < 0 ? agent : agent.slice(0, colon);
}
