/** Finds the file that a path in an output means, spelled from an unknown folder. */
export class Spellings {
  /** Each path and every end of it that begins after a slash, with the files it may mean. */
  readonly #ends = new Map<string, number[]>();
  readonly #paths = new Map<string, number>();
  readonly #tails = new Set<string>();
  readonly #lasts = new Set<number>(['"'.charCodeAt(0)]);
  readonly #named: readonly boolean[];

  constructor(files: readonly { readonly path: string; readonly named: boolean }[]) {
    this.#named = files.map(({ named }) => named);
    files.forEach((file, index) => {
      const path = slashed(file.path);
      this.#lasts.add(path.charCodeAt(path.length - 1));
      this.#tails.add(path.slice(-tailLength)).add(`${path}"`.slice(-tailLength));
      if (!this.#paths.has(path)) this.#paths.set(path, index);
      for (let at = -1; ; ) {
        const end = path.slice(at + 1);
        const files = this.#ends.get(end);
        if (files) files.push(index);
        else this.#ends.set(end, [index]);
        at = path.indexOf("/", at + 1);
        if (at < 0) break;
      }
    });
  }

  /** False only if no path of these ends before `at`; far cheaper than `resolve`. */
  isPossibleEnd(text: string, at: number): boolean {
    if (!this.#lasts.has(text.charCodeAt(at - 1))) return false;
    const tail = text.slice(Math.max(0, at - tailLength), at);
    if (this.#tails.has(tail)) return true;
    const slash = Math.max(tail.lastIndexOf("/"), tail.lastIndexOf("\\"));
    return (slash >= 0 || tail.length < tailLength) && this.#ends.has(tail.slice(slash + 1));
  }

  /** The file's index; -1: none of them, -2: one of several. */
  resolve(spelled: string): number {
    const path = slashed(unquoted(spelled)).replace(/^(?:\.{1,2}\/)+/, "");
    const whole = this.#paths.get(path);
    if (whole !== undefined) return whole;
    const files = this.#ends.get(path);
    if (files) return this.#chosen(files);
    return /^(?:\/|~\/|[A-Za-z]:\/)/.test(path) ? this.#withinAbsolute(path) : -1;
  }

  /** A file that the command or its output names is meant before one that was seen some time ago. */
  #chosen(files: readonly number[]): number {
    if (files.length === 1) return files[0]!;
    const named = files.filter((file) => this.#named[file]);
    return named.length === 1 ? named[0]! : -2;
  }

  #withinAbsolute(path: string): number {
    for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) {
      const file = this.#paths.get(path.slice(at + 1));
      if (file !== undefined) return file;
    }
    return -1;
  }
}

const tailLength = 3;

function slashed(path: string): string {
  return path.includes("\\") ? path.replaceAll("\\", "/") : path;
}

/** Git quotes a path with unusual bytes: `"b/\303\244.txt"`. */
export function unquoted(path: string): string {
  if (path.length < 2 || !path.startsWith('"') || !path.endsWith('"')) return path;
  const inner = path.slice(1, -1);
  if (!inner.includes("\\")) return inner;
  const bytes: number[] = [];
  for (const [part, octal, letter] of inner.matchAll(/\\([0-3][0-7]{2})|\\(.)|[^\\]+/gs)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else
      bytes.push(
        ...new TextEncoder().encode(letter === undefined ? part : (quotedEscapes[letter] ?? letter)),
      );
  }
  return new TextDecoder().decode(Uint8Array.from(bytes));
}

const quotedEscapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };
