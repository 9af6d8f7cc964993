import type { LedgerStore } from "../ports/index.js";
import { hashOf, type Secret, type Token, tokensIn } from "./tokens.js";

/** Milliseconds between two looks at the record: a token that is revoked works so long at most. */
const lookEvery = 1000;
/**
 * While the record cannot be reached, the last look counts for so long. No token can be revoked meanwhile, and no call
 * can be carried out: it is refused with the cause, where a server that knew nobody would send its agents away.
 */
const staleFor = 300_000;

/** Whom a secret belongs to. */
interface Holder {
  readonly token: Token;
  readonly secret: Secret;
}

interface Clocks {
  readonly now: () => number;
  /** Goes on evenly, whatever happens to the time of day. */
  readonly ticks: () => number;
}

/** The tokens as a running server knows them. */
export class KnownTokens {
  private holders: ReadonlyMap<string, Holder> = new Map();
  /** There are tokens, or there were some since the server began: nobody gets in without one any more. */
  isClosed = false;
  private looked = Number.NEGATIVE_INFINITY;
  private looking: Promise<void> | null = null;

  constructor(
    private readonly store: Pick<LedgerStore, "record">,
    private readonly clocks: Clocks = { now: Date.now, ticks: () => performance.now() },
  ) {}

  /** How many secrets are good now. */
  get count(): number {
    return [...this.holders.values()].filter(({ secret }) => !this.isEnded(secret)).length;
  }

  /** Returns the holder of a secret, also of one that has ended; null if nobody has it. */
  holderOf(secret: string): (Holder & { readonly isEnded: boolean }) | null {
    const holder = this.holders.get(hashOf(secret));
    return holder ? { ...holder, isEnded: this.isEnded(holder.secret) } : null;
  }

  private isEnded({ until }: Secret): boolean {
    return until !== null && until <= this.clocks.now();
  }

  /** Looks at the record again if the last look is a second old. Throws once it has been out of reach for long. */
  async refresh(): Promise<void> {
    if (this.clocks.ticks() - this.looked < lookEvery) return;
    this.looking ??= this.look().finally(() => {
      this.looking = null;
    });
    const isFresh = (): boolean => this.clocks.ticks() - this.looked < staleFor;
    // A store that is gone takes seconds to say so; the call itself will hear it too.
    const late = isFresh() ? [new Promise((resolve) => setTimeout(resolve, lookEvery).unref())] : [];
    try {
      await Promise.race([this.looking, ...late]);
    } catch (error) {
      if (!isFresh()) throw error;
    }
  }

  private async look(): Promise<void> {
    const began = this.clocks.ticks();
    const tokens = await tokensIn(this.store);
    this.looked = began;
    this.isClosed ||= tokens !== null;
    const holders = (tokens ?? []).flatMap((token) =>
      token.secrets.map((secret) => [secret.hash, { token, secret }] as const),
    );
    this.holders = new Map(holders);
  }
}
