/** Access by codes that work once, and by the keys that they are traded for. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** A code works for so long, in milliseconds. */
const codeAge = 60_000;
/** Pages that are open at once; the oldest key goes when another page is opened. */
const mostKeys = 32;

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

function isSame(one: Buffer, other: Buffer): boolean {
  return timingSafeEqual(one, other);
}

/**
 * Codes stand in the fragment of an address, where history and other programs may see them: a code works once and for a
 * minute. A key is never written down here, only its digest.
 */
export class Access {
  private codes: { readonly digest: Buffer; readonly until: number }[] = [];
  private keys: Buffer[] = [];

  constructor(private readonly clock: () => number) {}

  /** Returns a code for one page. */
  newCode(): string {
    const code = randomBytes(18).toString("base64url");
    const now = this.clock();
    this.codes = [
      ...this.codes.filter(({ until }) => until > now),
      { digest: digest(code), until: now + codeAge },
    ];
    return code;
  }

  /** Trades a code for a key; null if the code was never given, was used, or is too old. */
  keyFor(code: string): string | null {
    const now = this.clock();
    const given = digest(code);
    const at = this.codes.findIndex((one) => isSame(one.digest, given));
    const found = this.codes[at];
    if (!found) return null;
    this.codes.splice(at, 1);
    if (found.until <= now) return null;
    const key = randomBytes(32).toString("base64url");
    this.keys = [...this.keys, digest(key)].slice(-mostKeys);
    return key;
  }

  isKey(key: string): boolean {
    const given = digest(key);
    return this.keys.some((one) => isSame(one, given));
  }
}
