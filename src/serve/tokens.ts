/** Tokens of a tree: a secret for each caller, of which only the hash is on record. */
import { createHash, randomBytes } from "node:crypto";
import { type Json, type LedgerStore, PortError, tokensRecord } from "../ports/index.js";

/** The rights of a token's holder. */
export interface Rights {
  readonly readOnly: boolean;
  /** Globs from a root of the tree; null: all of it. */
  readonly paths: readonly string[] | null;
}

/** One secret. Two of a name are the same agent: the newer is handed out before the older is revoked. */
export interface Secret {
  /** The beginning of the hash: tells secrets apart without giving anything away. */
  readonly id: string;
  readonly hash: string;
  readonly made: number;
  /** When it ends; null: when it is revoked. */
  readonly until: number | null;
}

/** An agent that calls over the network, its rights and its secrets. */
export interface Token extends Rights {
  readonly name: string;
  readonly secrets: readonly Secret[];
}

const day = 86_400_000;
const mostTokens = 2000;
const mostSecrets = 10;
/** A name is the first part of an agent's, and a "/" begins the next. */
const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const attempts = 50;

export function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

/** Returns null if there is none, nor ever was, or all were revoked. A record that cannot be understood lets nobody in. */
export async function tokensIn(store: Pick<LedgerStore, "record">): Promise<readonly Token[] | null> {
  const record = await store.record(tokensRecord);
  if (!record) return null;
  const tokens = listIn(record.value);
  return tokens?.length === 0 ? null : (tokens ?? []);
}

function listIn(value: Json): readonly Token[] | null {
  const { tokens } = (value ?? {}) as { tokens?: readonly Token[] };
  return Array.isArray(tokens) ? tokens : null;
}

interface NewToken {
  readonly name: string;
  /** null: those that the name has already, or everything. */
  readonly rights: Rights | null;
  readonly days: number | null;
  readonly now: number;
}

export interface Made {
  /** Known to nobody but whoever gets it now. */
  readonly secret: string;
  readonly token: Token;
  readonly made: Secret;
}

/** Makes a secret for a name: for a new one, or one more for a name that has some, with the same rights. */
export async function addToken(store: LedgerStore, { name, rights, days, now }: NewToken): Promise<Made> {
  if (!namePattern.test(name))
    throw new PortError(
      "bad_request",
      `${JSON.stringify(name.slice(0, 100))} is no name for a token: up to 64 letters, digits and . _ -`,
    );
  const secret = `kedge_${randomBytes(32).toString("base64url")}`;
  const hash = hashOf(secret);
  const made = { id: hash.slice(0, 8), hash, made: now, until: days === null ? null : now + days * day };
  const token = await changed(store, (before) => {
    const tokens = before.flatMap((one) => withoutEnded(one, now));
    const known = tokens.find((one) => one.name === name);
    if (known && rights && !isSame(known, rights))
      throw new PortError(
        "bad_request",
        `${name} may ${described(known)}: to change that, revoke it first (kedge token revoke ${name}), or take another name`,
      );
    if (!known && tokens.length >= mostTokens)
      throw new PortError(
        "bad_request",
        `there are ${mostTokens} tokens: revoke some first, or give them --days`,
      );
    if (known && known.secrets.length >= mostSecrets)
      throw new PortError("bad_request", `${name} has ${mostSecrets} tokens: revoke some first`);
    const { readOnly, paths } = known ?? rights ?? { readOnly: false, paths: null };
    const next = { name, readOnly, paths, secrets: [...(known?.secrets ?? []), made] };
    return { tokens: [...tokens.filter((one) => one.name !== name), next], answer: next };
  });
  return { secret, token, made };
}

/** Takes back all secrets of a name, or the one with this id. Returns how many. */
export function revokeToken(store: LedgerStore, nameOrId: string): Promise<number> {
  return changed(store, (before) => {
    const isMeant = (token: Token, { id }: Secret): boolean => token.name === nameOrId || id === nameOrId;
    const tokens = before
      .map((token) => ({ ...token, secrets: token.secrets.filter((one) => !isMeant(token, one)) }))
      .filter(({ secrets }) => secrets.length > 0);
    return { tokens, answer: secretsIn(before) - secretsIn(tokens) };
  });
}

const secretsIn = (tokens: readonly Token[]): number =>
  tokens.reduce((sum, { secrets }) => sum + secrets.length, 0);

/** A month later nobody asks any more why a token does not work. */
function withoutEnded(token: Token, now: number): Token[] {
  const secrets = token.secrets.filter(({ until }) => until === null || until > now - 30 * day);
  return secrets.length > 0 ? [{ ...token, secrets }] : [];
}

function isSame(one: Rights, other: Rights): boolean {
  const text = ({ readOnly, paths }: Rights): string => JSON.stringify([readOnly, paths?.toSorted() ?? null]);
  return text(one) === text(other);
}

/** "read and write all of the tree" */
export function described({ readOnly, paths }: Rights): string {
  return `${readOnly ? "only read" : "read and write"} ${paths ? paths.join(" ") : "all of the tree"}`;
}

interface Changed<T> {
  readonly tokens: readonly Token[];
  readonly answer: T;
}

async function changed<T>(store: LedgerStore, change: (tokens: readonly Token[]) => Changed<T>): Promise<T> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const record = await store.record(tokensRecord);
    const { tokens, answer } = change((record && listIn(record.value)) ?? []);
    const value = { tokens } as unknown as Json;
    if (await store.putRecord(tokensRecord, value, record?.mark ?? null)) return answer;
  }
  throw new PortError("busy", "others keep changing the tokens: try again");
}
