import { createPrivateKey, X509Certificate } from "node:crypto";

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** Milliseconds between two looks at the files. */
const usualPause = 2000;

/**
 * The certificate of a server that runs, and is renewed while it does. The files are read again and again, and not watched: who
 * renews them may exchange a link somewhere above them.
 */
export class FollowedCertificate {
  current: Certificate;
  private last: string;

  /** Throws if the files cannot be read, or do not fit each other. */
  constructor(private readonly read: () => Certificate) {
    this.current = read();
    this.last = textOf(this.current);
    check(this.current);
  }

  isFor(name: string): boolean {
    return new X509Certificate(this.current.cert).checkHost(name) !== undefined;
  }

  /** `renew`: told of each new one. */
  follow(
    renew: (certificate: Certificate) => void,
    report: (line: string) => void,
    every = usualPause,
  ): NodeJS.Timeout {
    return setInterval(() => this.look(renew, report), every).unref();
  }

  /** One of the two files is written before the other: until they fit each other the old ones are used. */
  private look(renew: (certificate: Certificate) => void, report: (line: string) => void): void {
    let seen = "";
    try {
      const found = this.read();
      seen = textOf(found);
      if (seen === this.last) return;
      check(found);
      renew(found);
      this.current = found;
      report("the certificate was renewed");
    } catch (error) {
      const why = (error as Error).message;
      seen ||= why;
      if (seen !== this.last) report(`the certificate cannot be renewed, and the old one stays: ${why}`);
    }
    this.last = seen;
  }
}

const textOf = ({ cert, key }: Certificate): string => `${cert}\n${key}`;

function check({ cert, key }: Certificate): void {
  if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)))
    throw new Error("the key is not that of the certificate");
}
