/** By which names this server may be called: pages of other addresses, and names that somebody made lead here, get nothing. */
import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";
import { hostname } from "node:os";
import { Refused } from "./refused.js";

/** The host of a `Host` header, without port and brackets; null if it is none. */
function hostOf(header: string | undefined): string | null {
  const [, inBrackets, name] =
    /^(?:\[([0-9a-f:.]+)\]|([^\s:/?#@[\]\\]+))(?::\d{1,5})?$/i.exec(header ?? "") ?? [];
  return inBrackets ?? name?.toLowerCase().replace(/\.$/, "") ?? null;
}

export interface Names {
  /** Given by the person who started the server. */
  readonly given: readonly string[];
  /** Whether the certificate is for this name. */
  readonly isCertified?: (name: string) => boolean;
}

/**
 * Refuses a request that was meant for somebody else, or that a page of another address sent. An address in numbers is no name
 * that anybody else could have made lead here.
 */
export function checkNames({ host, origin }: IncomingHttpHeaders, { given, isCertified }: Names): void {
  const name = hostOf(host);
  const isOwn =
    name !== null &&
    (isIP(name) !== 0 ||
      name === "localhost" ||
      name === hostname().toLowerCase() ||
      given.some((one) => one.toLowerCase() === name) ||
      (isCertified?.(name) ?? false));
  if (!isOwn) {
    const hint = name === null ? "" : `; the one who runs it can add the name: --host ${name.slice(0, 100)}`;
    throw new Refused(421, `this server does not answer to the Host of this request${hint}`);
  }
  if (origin !== undefined && originOf(origin) !== host?.toLowerCase())
    throw new Refused(403, "pages of another origin are not answered");
}

function originOf(origin: string): string | null {
  try {
    return new URL(origin).host;
  } catch {
    return null;
  }
}
