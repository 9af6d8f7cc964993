/**
 * What may come of an edit. The agent means a place where it saw the text that it quotes; which one, nobody knows who
 * only reads the quote. So an edit that is let through has to be right for each of those places that the agent can
 * still believe in. What cannot be told from the texts is tolerated: see pairs.ts.
 */
import { compare } from "../../../src/changes/compare.js";
import { Document } from "../../../src/text/document.js";
import { type Client, type Edit, replaced } from "./client.js";
import { type Memory, placesIn, type Sighting } from "./memory.js";
import type { Outcome } from "./room.js";
import { type Alteration, alterationBy, lineAt, linesOf, type World } from "./world.js";

export class Judge {
  constructor(
    private readonly world: World,
    private readonly client: Client,
  ) {}

  /** What is wrong with an edit that was let through; null: nothing. `before`: the text that it was made to. */
  stray(edit: Edit, { done, carried }: Outcome, memory: Memory, before: string): string | null {
    const { splices, text: after } = done!;
    if (this.isUnended(edit)) return null;
    const live = memory.sightings(edit).filter((one) => memory.isLive(one));
    const isAll = edit.kind === "quote" && edit.all;
    const isAnyway = !isAll && live.some((one) => this.isSame(one, edit, after, before));
    for (const splice of splices) {
      // Patch tools end the last line: that changes no line.
      if (splice.from === splice.to && splice.made === "\n") continue;
      const [first, last] = [lineAt(before, splice.from), lineAt(before, splice.to - 1)];
      const unseen = this.unseen(edit, memory, [alterationBy(before, splice), first, last]);
      if (unseen !== null && !isAnyway) return `line ${unseen + 1} was never shown`;
      for (const sighting of isAll ? [] : live) {
        const same = live.filter((one) => memory.idsOf(one).join() === memory.idsOf(sighting).join());
        const isHere = carried
          ? same.some((one) => this.isMade(one, before, after))
          : this.isAt(sighting, first, last);
        if (isHere || this.isSame(sighting, edit, after, before)) continue;
        if (this.isSeenSince(sighting, [first, last], memory)) continue;
        if (this.isAmongEqual(sighting, first, before)) continue;
        const shown = JSON.stringify(this.world.states[sighting.look.state]!.texts);
        return `seen in line ${sighting.line + 1} of ${shown}, it is taken for line ${first + 1}`;
      }
    }
    return null;
  }

  /** Its last line has no newline, which nobody was shown: it stands nowhere, and tools look for something like it. */
  private isUnended(edit: Edit): boolean {
    const isQuoted = edit.kind === "quote" && edit.old.endsWith("\n");
    return isQuoted && this.world.states.some(({ text }) => text !== "" && !text.endsWith("\n"));
  }

  /** One of the lines that came or went among others that read the same: which one it was, no text tells. */
  private isAmongEqual({ look }: Sighting, line: number, before: string): boolean {
    const shown = this.world.states[look.state]!.text;
    const { regions } = compare(Document.fromText(shown), Document.fromText(before));
    return regions.some(({ bStart, bEnd }) => bStart <= line && line < bEnd);
  }

  /** A line that is altered and was never shown. Where all places are meant, those are that nobody has seen. */
  private unseen(
    edit: Edit,
    memory: Memory,
    [{ start, end }, first, last]: readonly [Alteration, number, number],
  ): number | null {
    const isAll = edit.kind === "quote" && edit.all;
    for (let line = start; line < end; line++)
      if (!memory.hasSeen(line) && !(isAll && line >= first && line <= last)) return line;
    return null;
  }

  /**
   * The lines quoted where they were seen stand, one below the other, from this line on, as far as the tool looks. Of a
   * blank line that a quote begins with, the tool sees the newline only, which another line may have as well: it counts
   * if that one is altered.
   */
  private isAt({ look, line, alteration: { quoted } }: Sighting, first: number, last = Infinity): boolean {
    const isNewline = this.world.states[look.state]!.texts[line] === "" && quoted.length > 1;
    return quoted.every((at) => {
      const there = first + at - line;
      return there > last || (isNewline && at === line) || this.world.places(look.state, at).has(there);
    });
  }

  /** In other words, but the same: all lines but those that it alters where it was seen are left, in their order. */
  private isMade(
    { look, alteration: { start, end, written } }: Sighting,
    before: string,
    after: string,
  ): boolean {
    const [old, now] = [linesOf(before), linesOf(after)];
    const expected = old.length - (end - start) + written.length;
    if (now.length !== expected) return false;
    const altered = new Set<number>();
    for (let at = start; at < end; at++)
      for (const place of this.world.places(look.state, at)) altered.add(place);
    let from = 0;
    return old.every((line, at) => {
      if (altered.has(at)) return true;
      from = now.indexOf(line, from) + 1;
      return from > 0;
    });
  }

  /** Made where it was seen, the text would have become the same. */
  private isSame(sighting: Sighting, edit: Edit, after: string, before: string): boolean {
    return placesIn(before, edit, this.client).some(
      ({ splice: { from, to, made }, first }) =>
        this.isAt(sighting, first) &&
        linesOf(before.slice(0, from) + made + before.slice(to)).join("\n") === linesOf(after).join("\n"),
    );
  }

  /** These lines were all shown, and not all of them while the other place stood: then they are the ones meant. */
  private isSeenSince(sighting: Sighting, [from, to]: readonly [number, number], memory: Memory): boolean {
    const ids = memory.idsOf(sighting);
    const stood = this.world.states.findLastIndex(({ lines }) => {
      const first = lines.findIndex(({ id }) => id === ids[0]);
      return first >= 0 && ids.every((id, at) => lines[first + at]?.id === id);
    });
    const lines = Array.from({ length: to + 1 - from }, (_, at) => from + at);
    return lines.every((at) => memory.hasSeen(at)) && lines.some((at) => !memory.knew(at, stood));
  }

  /** Nobody can doubt it: all of the text was seen in one place, stands there untouched, and nowhere else. */
  isPlain(edit: Edit, memory: Memory): boolean {
    const { text } = this.world;
    const [place, other] = placesIn(text, edit, this.client);
    if (!place || other || (edit.kind === "quote" && edit.all) || !replaced(text, edit, this.client))
      return false;
    const { start, end, quoted, written } = alterationBy(text, place.splice);
    const { first } = place;
    const last = Math.max(place.last, end - 1);
    const lines = Array.from({ length: last + 1 - first }, (_, at) => at);
    const isClear = ({ look, line, alteration }: Sighting): boolean =>
      JSON.stringify(alteration.written) === JSON.stringify(written) &&
      alteration.start - line === start - first &&
      alteration.end - line === end - first &&
      line + lines.length - 1 <= look.last &&
      lines.every((at) => this.world.clearPlace(look.state, line + at) === first + at);
    const seen = memory.sightings(edit);
    const isShown = quoted.length > 0 && seen.some(({ look }) => look.by !== "guard");
    return isShown && seen.every(isClear) && memory.allSightings(edit).every(isClear);
  }
}
