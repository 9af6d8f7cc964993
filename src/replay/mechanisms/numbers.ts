import { applyHunks } from "../cases/case.js";
import type { Mechanism } from "../score.js";

export const lineNumbers: Mechanism = {
  name: "line numbers only",
  short: "numbers",
  about: "line N is line N",
  start: () => ({
    edit(current, hunks) {
      const end = current.includes("\r\n") ? "\r\n" : "\n";
      const lines = current.split(end).slice(0, -1);
      if (hunks.some(({ start, count }) => start + count > lines.length)) return null;
      return applyHunks(lines, hunks)
        .map((line) => line + end)
        .join("");
    },
  }),
};
