/** The timeline: how much happened when, and a handle to go back to any moment. */
import { useEffect, useState } from "preact/hooks";
import type { Activity } from "../../contract.js";
import { clockTime } from "../../words.js";
import type { Source } from "../source.js";

interface Props {
  readonly source: Source;
  readonly now: number;
  /** The moment that is shown; null: now. */
  readonly at: number | null;
  /** Changes whenever something new has happened. */
  readonly beat: number;
  /** When something happened last; null: never, or it is not known yet. */
  readonly newest: number | null;
  go(at: number | null): void;
}

const spans = [
  [3_600_000, "1 h"],
  [6 * 3_600_000, "6 h"],
  [24 * 3_600_000, "1 d"],
  [7 * 24 * 3_600_000, "7 d"],
] as const;
const widest = spans[spans.length - 1] as (typeof spans)[number];
const ticks = 4;

export function Timeline({ source, now, at, beat, newest, go }: Props) {
  const [wanted, setSpan] = useState<number | null>(null);
  const [first, setFirst] = useState<number>(spans[0][0]);
  // In a quiet tree the timeline begins before the last thing that happened.
  useEffect(() => {
    if (newest !== null) setFirst((spans.find(([value]) => newest > Date.now() - value) ?? widest)[0]);
  }, [newest === null]);
  const span = wanted ?? first;
  const [activity, setActivity] = useState<Activity | null>(null);
  const minute = Math.floor(now / 60_000);
  useEffect(() => {
    source.activity(Date.now() - span).then(setActivity, () => {});
  }, [span, beat, minute]);
  const from = activity?.from ?? now - span;
  const to = Math.max(now, activity?.to ?? now);
  return (
    <section class="timeline" aria-label="timeline">
      <button
        type="button"
        class="plain pause"
        aria-pressed={at !== null}
        onClick={() => go(at === null ? now : null)}
      >
        {at === null ? "Pause" : "Live"}
      </button>
      <div class="track">
        <Slices activity={activity} />
        <Axis from={from} to={to} />
        <input
          type="range"
          aria-label="moment that is shown"
          aria-valuetext={at === null ? "now" : clockTime(at, now)}
          min={from}
          max={to}
          step={1000}
          value={at ?? to}
          onInput={(event) => {
            const value = Number((event.target as HTMLInputElement).value);
            go(value >= to - 1500 ? null : value);
          }}
        />
      </div>
      <output>{at === null ? "live" : clockTime(at, now)}</output>
      <select
        aria-label="time that the timeline covers"
        value={String(span)}
        onChange={(event) => setSpan(Number((event.target as HTMLSelectElement).value))}
      >
        {spans.map(([value, label]) => (
          <option key={value} value={String(value)}>
            {label}
          </option>
        ))}
      </select>
    </section>
  );
}

/** The times under the track; the last one is now, where the handle stands. */
function Axis({ from, to }: { from: number; to: number }) {
  const isLong = to - from > 24 * 3_600_000;
  const text = (time: number): string =>
    new Date(time).toLocaleString("en", {
      ...(isLong ? { month: "short", day: "numeric" } : {}),
      ...{ hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
    });
  return (
    <ol class="axis" aria-hidden="true">
      {Array.from({ length: ticks }, (_, at) => (
        <li key={at} style={{ left: `${(at / ticks) * 100}%` }}>
          {text(from + ((to - from) * at) / ticks)}
        </li>
      ))}
    </ol>
  );
}

const height = 30;

function Slices({ activity }: { activity: Activity | null }) {
  const slices = activity?.slices ?? [];
  const highest = Math.max(4, ...slices.map(({ edits, refusals, lost }) => edits + refusals + lost));
  const width = 1000 / Math.max(1, slices.length);
  return (
    <svg class="slices" viewBox={`0 0 1000 ${height}`} preserveAspectRatio="none" aria-hidden="true">
      {slices.map(({ edits, refusals, lost }, at) => {
        let y = height;
        return (["edits", "refusals", "lost"] as const).map((kind) => {
          const tall = ({ edits, refusals, lost }[kind] / highest) * height;
          y -= tall;
          return tall > 0 ? (
            <rect
              key={`${at} ${kind}`}
              class={kind}
              x={at * width}
              width={Math.max(1, width - 1)}
              y={y}
              height={tall}
            />
          ) : null;
        });
      })}
    </svg>
  );
}
