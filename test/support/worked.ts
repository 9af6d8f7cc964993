/** A session on a file that reads like code: a rename or a new layout leaves something of its lines. */
import { type Bench, bench, path } from "./session.js";

export const five = "first(1);\nsecond(2);\nthird(3);\nfourth(4);\nfifth(5);\n";

export interface Worked extends Bench {
  now(file?: string): string | null;
  /** Replaces quoted text; the edit's id. */
  set(old: string, by: string, agent?: string): Promise<string>;
  /** Ids. */
  lost(): Promise<string[]>;
}

export function worked(text: string | Readonly<Record<string, string>> = five): Worked {
  const made = bench(text);
  const { session } = made;
  return Object.assign(made, {
    now: (file = path) => made.files.text(file),
    set: async (old: string, by: string, agent = "one") => {
      const own = session.as(agent);
      await own.read({ path });
      const { details, text: said } = await own.edit({
        path,
        edits: [{ op: "replace_text", old, new: by }],
      });
      const { id } = details as { id?: string };
      if (id === undefined) throw new Error(said);
      return id;
    },
    lost: async () => (await session.lost()).map(({ id }) => id),
  });
}
