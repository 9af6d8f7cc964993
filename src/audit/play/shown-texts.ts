/** Texts that an agent was shown since the last compaction, to tell which reads repeat them. */

/** The size of the remembered texts, in characters. */
const most = 32 * 1024 * 1024;

interface Entry {
  readonly key: string;
  readonly body: string;
}

export class ShownTexts {
  private readonly bodies = new Map<string, string[]>();
  private order: Entry[] = [];
  private size = 0;

  /** Whether all of a text was shown before; it counts as shown then. */
  isRepeated(agent: string, path: string, body: string): boolean {
    const key = `${agent}\0${path}`;
    const known = this.bodies.get(key) ?? [];
    const bare = withoutLastBreaks(body);
    if (bare === "") return false;
    if (known.some((one) => hasPart(one, bare))) return true;
    known.push(bare);
    this.bodies.set(key, known);
    this.order.push({ key, body: bare });
    this.size += bare.length;
    while (this.size > most) this.drop();
    return false;
  }

  fold(agent: string): void {
    const isOfAgent = (key: string): boolean => key.startsWith(`${agent}\0`);
    for (const [key, bodies] of this.bodies)
      if (isOfAgent(key)) {
        this.bodies.delete(key);
        this.size -= bodies.reduce((sum, { length }) => sum + length, 0);
      }
    this.order = this.order.filter(({ key }) => !isOfAgent(key));
  }

  private drop(): void {
    const oldest = this.order.shift();
    if (!oldest) return;
    const left = this.bodies.get(oldest.key)?.filter((one) => one !== oldest.body);
    if (!left || left.length === this.bodies.get(oldest.key)?.length) return;
    this.size -= oldest.body.length;
    this.bodies.set(oldest.key, left);
  }
}

function withoutLastBreaks(text: string): string {
  let end = text.length;
  while (text[end - 1] === "\n") end -= 1;
  return end === text.length ? text : text.slice(0, end);
}

/** As whole lines. */
function hasPart(text: string, part: string): boolean {
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) {
    const end = at + part.length;
    if ((at === 0 || text[at - 1] === "\n") && (end === text.length || text[end] === "\n")) return true;
  }
  return false;
}
