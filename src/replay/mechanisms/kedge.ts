import { listRows, type Row, type SchemeName } from "../../anchors/index.js";
import { applyEdits } from "../../answers/index.js";
import type { Edit } from "../../edits/index.js";
import { memoryFiles, memoryStore } from "../../ports/index.js";
import { Session } from "../../session/index.js";
import { Document } from "../../text/index.js";
import type { Hunk } from "../cases/case.js";
import type { Mechanism } from "../score.js";

/** The rows that an agent is shown of a text, by the listing that every door prints. */
function listed(base: string, scheme: SchemeName): readonly Row[] {
  const document = Document.fromText(base);
  return listRows(document, { scheme, ranges: [{ start: 1, end: document.lineCount }] }).rows;
}

/** An insertion is named by the line below it, or by the line above. */
type Inserts = "before" | "after";

/** The edit as an agent writes it that was shown these rows. */
function anchored(rows: readonly Row[], hunk: Hunk, inserts: Inserts = "before"): Edit {
  const { start, count, lines: text } = hunk;
  const anchor = (index: number): string => (rows[index] as Row).anchor;
  if (count > 0) return { op: "replace_lines", start: anchor(start), end: anchor(start + count - 1), text };
  const isBefore = start < rows.length && (inserts === "before" || start === 0);
  return isBefore
    ? { op: "insert_before", anchor: anchor(start), text }
    : { op: "insert_after", anchor: anchor(start - 1), text };
}

const path = "file";

export const sessionThat = (inserts: Inserts): Mechanism => ({
  name: "kedge, session",
  short: "session",
  about: "anchors, and a ledger of what was shown",
  async start(base) {
    const files = memoryFiles({ [path]: base });
    const kedge = new Session({ files, store: memoryStore(), agent: "agent", clock: () => 0 });
    const rows = listed(base, "hex6");
    await kedge.read({ path, ranges: [{ start: 1, end: rows.length }] });
    return {
      async edit(current, hunks) {
        if (files.text(path) !== current) files.set(path, current);
        const edits = hunks.map((hunk) => anchored(rows, hunk, inserts));
        const { isError } = await kedge.edit({ path, edits });
        if (isError && files.text(path) !== current) throw new Error("a refusal wrote");
        return isError ? null : files.text(path);
      },
    };
  },
});

export const session = sessionThat("before");

export const stateless = (scheme: SchemeName): Mechanism => ({
  name: `kedge, stateless, ${scheme}`,
  short: scheme,
  about: "anchors alone: each must fit its line, or one near it",
  start(base) {
    const rows = listed(base, scheme);
    return {
      edit(current, hunks) {
        const made = applyEdits(
          current,
          hunks.map((hunk) => anchored(rows, hunk)),
        );
        return made.status === "refused" ? null : made.text;
      },
    };
  },
});
