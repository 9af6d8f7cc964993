/** What simulated agents want, made from what they remember, with what it means by identity. */
import { computeLineHash } from "../../src/core/scheme.js";
import type { Result } from "../../src/session/result.js";
import type { Session } from "../../src/session/session.js";
import { callOn, type Line, type Named, type Random } from "./model.js";
import type { Memory, Picture, Place, Room } from "./simulation.js";

/** A call, and what it may touch in each file it is about. */
export interface Intent {
  readonly what: string;
  readonly kind: "anchors" | "quote" | "whole";
  send(session: Session): Promise<Result<unknown>>;
  /** null: all of the file. */
  readonly means: ReadonlyMap<Place, Named | null>;
}

interface Row {
  readonly index: number;
  readonly line: Line;
  readonly anchor: string;
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

  private row({ lines, rows }: Picture): Row {
    const [start, end] = this.random.pick(rows.spans());
    const index = this.random.between(start, end - 1);
    const line = lines[index] as Line;
    return { index, line, anchor: `${index + 1}#${computeLineHash(line.text)}` };
  }

  /** One to three edits on rows of one recent picture. */
  edit(): Intent | null {
    const picture = this.recent();
    if (!picture) return null;
    const { edits, named } = this.editsOn(picture);
    const { place } = picture;
    return {
      what: `edit ${place.path} ${JSON.stringify(edits)}`,
      kind: "anchors",
      send: (session) => session.edit({ path: place.path, edits }),
      means: new Map([[place, named]]),
    };
  }

  /** Edits of two files in one call. */
  batch(): Intent | null {
    const [one, two] = [this.recent(), this.recent()];
    if (!one || !two || one.place === two.place) return null;
    const parts = [one, two].map((picture) => ({ ...this.editsOn(picture), place: picture.place }));
    const files = parts.map(({ place, edits }) => ({ path: place.path, edits }));
    return {
      what: `batch ${JSON.stringify(files)}`,
      kind: "anchors",
      send: (session) => session.multiEdit({ files }),
      means: new Map(parts.map(({ place, named }) => [place, named])),
    };
  }

  private editsOn(picture: Picture): { edits: Readonly<Record<string, unknown>>[]; named: Named } {
    const { random } = this;
    const calls = Array.from({ length: random.chance(0.2) ? random.between(2, 3) : 1 }, () =>
      callOn(picture.lines, picture.place.world, random.pick(picture.rows.spans())),
    );
    const own = this.memory.ownLines(picture.place);
    const named = calls.map((call) => withOwn(call.named(this.latest(picture, call.refs)), own));
    const all = (part: keyof Named) => named.flatMap((one) => one[part]);
    return {
      edits: calls.flatMap((call) => call.edits),
      named: { lines: all("lines"), after: all("after"), before: all("before") },
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

  /** A range whose ends come from two pictures; where both ends were printed of one text, that one is meant. */
  across(): Intent | null {
    const { random } = this;
    const newer = this.recent();
    if (!newer) return null;
    const { place } = newer;
    const older = this.memory.pictures.slice(0, this.memory.pictures.indexOf(newer) + 1);
    const one = this.row(random.pick(older.filter((picture) => picture.place === place)));
    const two = this.row(newer);
    const together = this.printedTogether(place, one, two);
    const last = this.memory.pictures.findLast(
      ({ place: where, lines, rows }) =>
        where === place &&
        [one, two].some(({ index, line }) => rows.has(index) && lines[index]?.id === line.id),
    );
    const lines = together ?? (last ?? newer).lines;
    const position = ({ index, line }: Row) =>
      together ? index : lines.findIndex(({ id }) => id === line.id);
    const [first, second] = [position(one), position(two)];
    if (first < 0 || second < 0) return null;
    const [start, end] = first <= second ? [one, two] : [two, one];
    const text = place.world.texts(random.below(3));
    const edits = [{ op: "replace_lines", start: start.anchor, end: end.anchor, text }];
    const ids = lines.slice(Math.min(first, second), Math.max(first, second) + 1).map(({ id }) => id);
    return {
      what: `across ${place.path} ${JSON.stringify(edits)}`,
      kind: "anchors",
      send: (session) => session.edit({ path: place.path, edits }),
      means: new Map([
        [place, withOwn({ lines: ids, after: ids, before: ids }, this.memory.ownLines(place))],
      ]),
    };
  }

  private printedTogether(place: Place, ...rows: readonly Row[]): readonly Line[] | undefined {
    const { pictures } = this.memory;
    return pictures.findLast(
      ({ place: where, lines: state }) =>
        where === place &&
        rows.every(
          ({ index, line }) =>
            state[index]?.text === line.text &&
            pictures.some((one) => one.lines === state && one.rows.has(index)),
        ),
    )?.lines;
  }

  /** Quoted text is looked for in the newest version shown; what others added since is not replaced. */
  quote(): Intent | null {
    const { random } = this;
    const picture = this.recent();
    if (!picture) return null;
    const { place } = picture;
    const newest = this.memory.pictures.findLast((one) => one.place === place) as Picture;
    const { text: old } = this.row(picture).line;
    if (old === "") return null;
    const edits = [{ op: "replace_text", old, new: place.world.texts(1)[0], all: random.chance(0.3) }];
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
