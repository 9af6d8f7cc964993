/** The files panel: a strip of each file's lines, with a lane for each agent. */
import { useState } from "preact/hooks";
import { visible } from "../../../text/index.js";
import type { Lane, ViewFile, ViewState } from "../../contract.js";
import { ago, counted, rangeText, shortPath } from "../../words.js";
import { agentOf, nameOf, unknownHue, useSteadyRows } from "../parts.js";
import { StaleText } from "./headline.js";
import { barsOf } from "./strips.js";

const pageSize = 40;
const laneHeight = 9;
const mostLanes = 8;

interface Props {
  readonly state: ViewState;
  readonly now: number;
  readonly chosen: string | null;
  readonly isPast: boolean;
}

export function Files({ state, now, chosen, isPast }: Props) {
  const [count, setCount] = useState(pageSize);
  const isOf = (file: ViewFile): boolean =>
    chosen === null || file.lanes.some(({ agent }) => agent === chosen);
  const { shown, hold } = useSteadyRows(state.files.filter(isOf), ({ path }) => path, `${chosen} ${isPast}`);
  return (
    <section class="panel files" aria-labelledby="files-title" tabIndex={0} {...hold}>
      <h2 id="files-title">
        Files <small>{shown.length}</small>
        <span class="legend" aria-hidden="true">
          <i class="key wrote" /> wrote <i class="key shown" /> was shown <i class="key stale" /> shown,
          changed since
        </span>
      </h2>
      {shown.length === 0 ? (
        <p class="empty">
          {isPast
            ? "No file had been shown to an agent by then."
            : "No file was shown to an agent or edited in the last hours."}
        </p>
      ) : (
        <ul>
          {shown.slice(0, count).map((file) => (
            <li key={file.path}>
              <FileStrip {...{ file, state, now, chosen, isPast }} />
            </li>
          ))}
        </ul>
      )}
      {shown.length > count ? (
        <button type="button" class="plain more" onClick={() => setCount(count + pageSize)}>
          {counted(shown.length - count, "more file")}
        </button>
      ) : null}
    </section>
  );
}

function FileStrip({ file, state, now, chosen, isPast }: Props & { file: ViewFile }) {
  const lanes = ordered(file.lanes, chosen).slice(0, mostLanes);
  const hidden = file.lanes.length - lanes.length;
  const stale = state.stale.filter(({ path }) => path === file.path);
  const height = Math.max(1, lanes.length) * laneHeight;
  const absent = state.actions || isPast ? "gone" : "not on this machine";
  return (
    <article class={stale.length > 0 ? "file collides" : "file"} data-path={file.path}>
      <header>
        <span class="path" title={visible(file.path)}>
          {shortPath(visible(file.path), 60)}
        </span>
        <small>
          {file.lines === 0 ? absent : counted(file.lines, "line")} · {counted(file.edits, "edit")} ·{" "}
          {ago(file.time, now)}
        </small>
      </header>
      {lanes.length === 0 ? null : (
        <div class="lanes">
          <ol class="lane-names" aria-hidden="true">
            {lanes.map((lane) => (
              <li key={lane.agent}>{nameOf(state, lane.agent)}</li>
            ))}
          </ol>
          <svg
            class="strip"
            viewBox={`0 0 1000 ${height}`}
            height={height * 1.4}
            preserveAspectRatio="none"
            role="img"
            aria-label={`${visible(file.path)}: ${lanes.map((lane) => laneText(lane, state)).join("; ")}`}
          >
            {lanes.map((lane, at) => (
              <LaneBars
                key={lane.agent}
                {...{ lane, file, at }}
                hue={agentOf(state, lane.agent)?.hue ?? unknownHue}
                title={laneText(lane, state)}
              />
            ))}
          </svg>
        </div>
      )}
      {hidden > 0 ? <p class="soft">and {counted(hidden, "more agent")}</p> : null}
      {stale.slice(0, 3).map((view) => (
        <p key={view.agent} class="stale-note">
          <StaleText stale={view} {...{ state, now }} />
        </p>
      ))}
      {stale.length > 3 ? <p class="stale-note">and {counted(stale.length - 3, "more view")}</p> : null}
    </article>
  );
}

/** The chosen agent's lane comes first, then those whose view is stale, then those who wrote. */
function ordered(lanes: readonly Lane[], chosen: string | null): Lane[] {
  const rank = (lane: Lane): number =>
    lane.agent === chosen ? 0 : lane.stale.length > 0 ? 1 : lane.wrote.length > 0 ? 2 : 3;
  return [...lanes].sort((one, two) => rank(one) - rank(two) || (one.agent < two.agent ? -1 : 1));
}

function LaneBars(props: { lane: Lane; file: ViewFile; at: number; hue: number; title: string }) {
  const { lane, file, at, hue, title } = props;
  const y = at * laneHeight + 1;
  const bars = (kind: "shown" | "wrote" | "stale", height: number) =>
    barsOf(lane[kind], file.lines).map(({ x, width }) => (
      <rect key={`${kind} ${x}`} class={kind} {...{ x, width, y, height }} />
    ));
  return (
    <g style={{ "--hue": `${hue}` }}>
      <title>{title}</title>
      <rect class="ground" x={0} width={1000} y={y} height={laneHeight - 2} />
      {bars("shown", laneHeight - 2)}
      {bars("wrote", laneHeight - 2)}
      {bars("stale", laneHeight - 2)}
    </g>
  );
}

function laneText(lane: Lane, state: ViewState): string {
  const parts = [
    lane.wrote.length > 0 ? `wrote ${rangeText(lane.wrote)}` : "",
    lane.shown.length > 0 ? `was shown ${rangeText(lane.shown)}` : "",
    lane.stale.length > 0 ? `changed since: ${rangeText(lane.stale)}` : "",
  ];
  return `${nameOf(state, lane.agent)} ${parts.filter((part) => part !== "").join(", ")}`;
}
