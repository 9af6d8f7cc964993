/** What simulated agents want, made from what they remember, with what it means by identity. */

import type { Result } from "../../src/calls/result.js";
import type { Edit } from "../../src/edits/index.js";
import type { Session } from "../../src/session/session.js";
import { anchorOfRow, isLastRow, type Memory, type Picture, type Row } from "./memory.js";
import { callOn, type Line, type Named } from "./model.js";
import type { Random } from "./random.js";
import type { Place, Room } from "./simulation.js";

/** A call, and what it may touch in each file it is about. */
export interface Intent {
  readonly what: string;
  readonly kind: "anchors" | "quote" | "whole";
  send(session: Session): Promise<Result<unknown>>;
  /** null: all of the file. */
  readonly means: ReadonlyMap<Place, Named | null>;
  /** All that it names stands there as it was shown, and so do its neighbours: nothing speaks against it. */
  readonly isPlain?: boolean;
  /** Lines whose anchors it gives. */
  readonly anchors?: readonly number[];
}

/** In a range, lines that the agent put there itself are meant too, wherever it stands now. */
function withOwn({ lines, after, before }: Named, own: readonly number[]): Named {
  if (lines.length === 0) return { lines, after, before };
  return { lines: [...lines, ...own], after: [...after, ...own], before: [...before, ...own] };
}

export class Intents {
  constructor(
    private readonly room: Room,
    private readonly memory: Memory,
  ) {}

  private get random(): Random {
    return this.room.random;
  }

  private recent(): Picture | null {
    const { pictures } = this.memory;
    return pictures.length === 0 ? null : this.random.pick(pictures.slice(-6));
  }

  private row(picture: Picture): Row {
    const [start, end] = this.random.pick(picture.rows.spans);
    const index = this.random.between(start, end - 1);
    return { picture, index, line: picture.lines[index] as Line };
  }

  /** One to three edits on rows of one recent picture. */
  edit(): Intent | null {
    const picture = this.recent();
    const made = picture && this.editsOn(picture);
    if (!made) return null;
    const { edits, named, isPlain, anchors } = made;
    const { place } = picture;
    return {
      what: `edit ${place.path} ${JSON.stringify(edits)}`,
      kind: "anchors",
      send: (session) => session.edit({ path: place.path, edits }),
      means: new Map([[place, named]]),
      ...{ isPlain, anchors },
    };
  }

  /** Edits of two files in one call. */
  batch(): Intent | null {
    const [one, two] = [this.recent(), this.recent()];
    if (!one || !two || one.place === two.place) return null;
    const parts = [one, two].flatMap((picture) => {
      const made = this.editsOn(picture);
      return made ? [{ ...made, place: picture.place }] : [];
    });
    if (parts.length < 2) return null;
    const files = parts.map(({ place, edits }) => ({ path: place.path, edits }));
    return {
      what: `batch ${JSON.stringify(files)}`,
      kind: "anchors",
      send: (session) => session.multiEdit({ files }),
      means: new Map(parts.map(({ place, named }) => [place, named])),
    };
  }

  /** null: one of the lines is gone, and the agent knows it. */
  private editsOn(picture: Picture) {
    const { random } = this;
    const { place, lines, rows, scheme } = picture;
    const calls = Array.from({ length: random.chance(0.2) ? random.between(2, 3) : 1 }, () =>
      callOn(lines, place.world, random.pick(rows.spans), scheme),
    );
    const refs = calls.flatMap((call) => call.refs);
    const given = refs.map((index): Row => ({ picture, index, line: lines[index] as Line }));
    if (!given.every((row) => this.memory.isMeant(row))) return null;
    const own = this.memory.ownLines(place);
    const named = calls.map((call) => {
      const ends = call.refs.slice(0, 2).map((index) => (lines[index] as Line).id);
      const back = this.memory.between(place, ends[0] as number, ends.at(-1) as number, picture.moment);
      return withOwn(call.named(this.latest(picture, call.refs)), [...own, ...back]);
    });
    const all = (part: keyof Named) => named.flatMap((one) => one[part]);
    const known = (id: number): boolean => this.memory.knows(place, { id, text: "" });
    const [first] = calls;
    return {
      edits: calls.flatMap((call) => call.edits),
      named: { lines: all("lines"), after: all("after"), before: all("before") },
      isPlain:
        calls.length === 1 &&
        given.every((row) => isLastRow(row, this.memory)) &&
        first?.expected(place.world.lines) != null &&
        first.named(lines).lines.every((id) => known(id) && !this.room.wasAway(place, id, picture.moment)),
      anchors: refs.map((index) => (lines[index] as Line).id),
    };
  }

  /** What lies between two anchors is what was printed there last, if the same lines had the same anchors then. */
  private latest(picture: Picture, refs: readonly number[]): readonly Line[] {
    const again = this.memory.pictures.findLast(
      ({ place, lines, rows }) =>
        place === picture.place &&
        refs.every((index) => rows.has(index) && lines[index]?.text === picture.lines[index]?.text),
    )?.lines;
    const same = again && refs.every((index) => again[index]?.id === picture.lines[index]?.id);
    return same ? again : picture.lines;
  }

  /** Lines that were printed at different times, each named by the anchor it was printed with last. */
  mixed(place: Place | undefined = this.recent()?.place): Intent | null {
    if (!place) return null;
    const newest = this.memory.pictures.findLast((one) => one.place === place);
    const lines = newest?.lines ?? [];
    const at = this.random.below(lines.length);
    const end = Math.min(lines.length - 1, at + this.random.below(6));
    return this.range(place, lines, [at, end]);
  }

  /** A range of lines of a text, if both its ends were printed. */
  range(place: Place, lines: readonly Line[], [at, end]: readonly [number, number]): Intent | null {
    const { random, memory } = this;
    const named = (index: number): Row | null => {
      const line = lines[index];
      const row = line ? memory.lastRow(place, line.id) : null;
      return row && memory.isMeant(row) ? row : null;
    };
    const [one, two, three] = [named(at), named(end), named(random.below(lines.length))];
    if (!one || !two) return null;
    const [start, stop] = [anchorOfRow(one), anchorOfRow(two)];
    const text = place.world.texts(random.between(1, 2));
    const ids = [
      ...lines.slice(at, end + 1).map(({ id }) => id),
      ...memory.between(place, one.line.id, two.line.id, Math.min(one.picture.moment, two.picture.moment)),
    ];
    const target = three?.line.id ?? -1;
    const move: Edit = { op: "move_lines", start, end: stop, after: three ? anchorOfRow(three) : "" };
    const isMove =
      random.chance(0.25) && three !== null && !ids.includes(target) && lines[at - 1]?.id !== target;
    const edit = isMove
      ? move
      : random.pick<Edit>([
          { op: "replace_lines", start, end: stop, text },
          { op: "delete_lines", start, end: stop },
        ]);
    const after = isMove ? [target] : ids;
    return {
      what: `mixed ${place.path} ${JSON.stringify(edit)}`,
      kind: "anchors",
      send: (session) => session.edit({ path: place.path, edits: [edit] }),
      means: new Map([
        [place, withOwn({ lines: ids, after, before: isMove ? [] : ids }, memory.ownLines(place))],
      ]),
      isPlain:
        !isMove && this.stands(place, lines, [at, end]) && this.isPlain(place, lines, [at, end], [one, two]),
      anchors: isMove ? [one.line.id, two.line.id, target] : [one.line.id, two.line.id],
    };
  }

  /** Nobody changed anything there since the anchors were printed, or the agent has read or found all that is there. */
  private isPlain(
    place: Place,
    lines: readonly Line[],
    [at, end]: readonly [number, number],
    rows: readonly Row[],
  ): boolean {
    const all = lines.slice(Math.max(0, at - 1), end + 2);
    const since = Math.min(...rows.map(({ picture }) => picture.moment));
    if (all.some(({ id }) => this.room.wasAway(place, id, since))) return false;
    const isLooked = all.every((line) => this.memory.hasLooked(place, line, since));
    return isLooked || rows.every(({ picture }) => this.isIn(picture.lines, lines, [at - 1, end + 1]));
  }

  /** The lines of the other text stand there one after the other too. */
  private isIn(
    text: readonly Line[],
    lines: readonly Line[],
    [first, last]: readonly [number, number],
  ): boolean {
    const inside = Math.max(0, first);
    const from = text.findIndex(({ id }) => id === lines[inside]?.id) - inside;
    for (let at = first; at <= last; at++) if (text[from + at]?.id !== lines[at]?.id) return false;
    return true;
  }

  /** These lines stand there as they did, between the same neighbours, and the agent has seen them all. */
  private stands(place: Place, lines: readonly Line[], [at, end]: readonly [number, number]): boolean {
    const now = place.world.lines;
    const from = now.findIndex(({ id }) => id === lines[at]?.id);
    if (from < 0) return false;
    for (let offset = -1; offset <= end - at + 1; offset++)
      if (now[from + offset]?.id !== lines[at + offset]?.id) return false;
    return lines.slice(at, end + 1).every((line) => this.memory.knows(place, line));
  }

  /** Quoted text is looked for in the newest version shown; what others added since is not replaced. */
  quote(): Intent | null {
    const { random } = this;
    const picture = this.recent();
    if (!picture) return null;
    const { place } = picture;
    const newest = this.memory.newest(place) as Picture;
    // Now and then a text that the agent has not read: it has guessed it.
    const unread = random.chance(0.3) ? random.pick(place.world.lines) : undefined;
    const { text: old } = unread ?? this.row(picture).line;
    if (old === "") return null;
    const edits: Edit[] = [
      { op: "replace_text", old, new: place.world.texts(1)[0] as string, all: random.chance(0.3) },
    ];
    const quoted = newest.lines.filter(({ text }) => text.includes(old)).map(({ id }) => id);
    const lines = [...quoted, ...this.memory.ownLines(place)];
    return {
      what: `quote ${place.path} ${JSON.stringify(edits)}`,
      kind: "quote",
      send: (session) => session.edit({ path: place.path, edits }),
      means: new Map([[place, { lines, after: [], before: [] }]]),
    };
  }

  overwrite(): Intent {
    const place = this.random.pick(this.room.places);
    const content = [...place.world.lines.map(({ text }) => text), ...place.world.texts(2)];
    return {
      what: `write ${place.path}`,
      kind: "whole",
      send: (session) => session.write({ path: place.path, content }),
      means: new Map([[place, null]]),
    };
  }

  relocate(): Intent {
    const place = this.random.pick(this.room.places);
    const [path, to] = [place.path, this.room.freshPath()];
    return {
      what: `move ${path} to ${to}`,
      kind: "whole",
      send: (session) => session.multiEdit({ files: [{ path, edits: [{ op: "move_file", to }] }] }),
      means: new Map([[place, null]]),
    };
  }
}
