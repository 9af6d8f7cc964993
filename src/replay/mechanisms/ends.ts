import { isCrlf, toCrlf, toLf } from "../cases/case.js";
import type { Mechanism } from "../score.js";

/**
 * For a mechanism that keeps nothing between calls and is typed what it looks for. A file with CRLF that has kept them is
 * no harder for it than one with LF: whoever hands it a diff or a quote gives it the file's own ends. A conversion in
 * between it has to stand by itself.
 */
export const endsAside = (mechanism: Mechanism): Mechanism => ({
  ...mechanism,
  start: (base) => ({
    async edit(current, hunks) {
      const both = isCrlf(base) && isCrlf(current);
      const attempt = await mechanism.start(both ? toLf(base) : base);
      const made = await attempt.edit(both ? toLf(current) : current, hunks);
      return made !== null && both ? toCrlf(made) : made;
    },
  }),
});
