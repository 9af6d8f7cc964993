/** Names that tell a person on this machine which agent is which; no text for a model has them. */
import { type LedgerStore, PortError, type StoreReader } from "../ports/index.js";
import { withoutSecrets } from "../text/index.js";

const longestName = 24;

const recordName = (agent: string): string => `name of ${agent}`;

/** Keeps letters, digits and blanks, and ends with a whole word if the first is not too long. */
export function agentNameFrom(text: string): string {
  const plain = withoutSecrets(text.slice(0, 1000))
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
  if (plain.length <= longestName) return plain;
  const cut = plain.slice(0, longestName + 1);
  const end = cut.lastIndexOf(" ");
  return (end > 0 ? cut.slice(0, end) : cut.slice(0, longestName)).trim();
}

/** The name of an agent; null if it has none. */
export async function nameOfAgent(agent: string, store: StoreReader): Promise<string | null> {
  const value = (await store.record(recordName(agent)))?.value;
  return typeof value === "string" ? value : null;
}

/** Names an agent by the first prompt that it is given, unless it has a name. */
export async function nameByPrompt(agent: string, prompt: string, store: LedgerStore): Promise<void> {
  const name = agentNameFrom(prompt);
  if (name !== "") await store.putRecord(recordName(agent), name, null);
}

/** Gives an agent another name. */
export async function renameAgent(agent: string, name: string, store: LedgerStore): Promise<string> {
  const plain = agentNameFrom(name);
  if (plain === "") throw new PortError("bad_request", "a name has letters or digits");
  await store.putRecord(recordName(agent), plain);
  return plain;
}
