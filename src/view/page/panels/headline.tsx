/** The top line with its figures, and the one sentence below it that matters most now. */
import type { ComponentChildren } from "preact";
import { visible } from "../../../text/index.js";
import type { StaleView, ViewState } from "../../contract.js";
import { ago, clockTime, counted, lineCount, rangeText, shortPath } from "../../words.js";
import { AgentName, AgentNames } from "../parts.js";
import type { Link } from "../stream.js";

/** A server that is silent for so long is told of, in milliseconds. */
const silentFor = 5000;
const longestCommand = 80;

const linkWords: Readonly<Record<Link, string>> = {
  live: "live",
  waiting: "connecting…",
  closed: "ended",
};

interface TopProps {
  readonly state: ViewState;
  readonly link: Link;
  readonly isPaused: boolean;
  help(): void;
}

export function Top({ state, link, isPaused, help }: TopProps) {
  const { counts, repository, branch } = state;
  const figures: readonly (readonly [string, number, string])[] = [
    ["at work", counts.working, ""],
    ["edits in the last hour", counts.editsLastHour, ""],
    ["relocated", counts.relocated, ""],
    ["refused", counts.refused, ""],
    ["lost", counts.lost, counts.lost > 0 ? "alarm" : "calm"],
  ];
  return (
    <header class="top">
      <h1 title={visible(repository)}>{visible(repository)}</h1>
      {branch === null ? null : (
        <span class="branch" title={visible(branch)}>
          {visible(branch)}
        </span>
      )}
      <dl>
        {figures.map(([label, value, kind]) => (
          <div key={label} class={kind}>
            <dt>{label}</dt>
            <dd>{value.toLocaleString("en")}</dd>
          </div>
        ))}
      </dl>
      <span class={`link ${isPaused ? "paused" : link}`} role="status">
        {isPaused ? "paused" : linkWords[link]}
      </span>
      <button type="button" class="plain" onClick={help} aria-label="Keyboard help">
        ?
      </button>
    </header>
  );
}

interface HeadlineProps {
  readonly state: ViewState;
  readonly live: ViewState | null;
  readonly link: Link;
  /** When the server told something last. */
  readonly heardAt: number;
  /** The moment that is shown; null: now. */
  readonly at: number | null;
  readonly now: number;
  restore(): void;
  goLive(): void;
}

/** It has its room always, so that nothing moves when something is lost. */
export function Headline(props: HeadlineProps) {
  const { state, live, link, heardAt, at, now, goLive } = props;
  if (link === "closed")
    return (
      <Sentence kind="cut">
        This page needs a new address, and what it shows is of {clockTime(heardAt, now)}: press Enter in the
        terminal where <code>kedge ui</code> runs.
      </Sentence>
    );
  if (link === "waiting" && now - heardAt > silentFor)
    return (
      <Sentence kind="cut">
        <code>kedge ui</code> does not answer, and what you see is of {clockTime(heardAt, now)}. Start it
        again for a new page.
      </Sentence>
    );
  if (at !== null)
    return (
      <Sentence
        kind="past"
        button={
          <button type="button" onClick={goLive}>
            Back to now
          </button>
        }
      >
        The tree as it was at <b>{clockTime(at, now)}</b>
        {now - at < 5000 ? "" : `, ${ago(at, now)} ago`}
        {state.lost.length > 0 ? `, with ${counted(state.lost.length, "edit")} lost` : ""}.
        {live && live.lost.length > 0 ? (
          <b class="bad"> Now {counted(live.lost.length, "edit")} lost.</b>
        ) : null}
      </Sentence>
    );
  if (state.lost.length > 0) return <LostBanner {...props} />;
  const [stale] = [...state.stale].sort((one, two) => two.since - one.since);
  if (stale) return <StaleSentence stale={stale} state={state} now={now} />;
  if (state.agents.length === 0) return <Sentence kind="calm">No agent is at work.</Sentence>;
  return (
    <Sentence kind="calm">Nothing is lost, and no agent has missed a change in lines it knows.</Sentence>
  );
}

function Sentence(props: { kind: string; button?: ComponentChildren; children: ComponentChildren }) {
  return (
    <section class={`headline ${props.kind}`} aria-label="now">
      <p>{props.children}</p>
      {props.button}
    </section>
  );
}

function StaleSentence({ stale, state, now }: { stale: StaleView; state: ViewState; now: number }) {
  const rest = state.stale.length - 1;
  return (
    <Sentence kind="stale">
      <StaleText {...{ stale, state, now }} where={` of ${shortPath(visible(stale.path), 40)}`} />
      {rest > 0 ? `, and ${counted(rest, "view")} more ${rest === 1 ? "is" : "are"} behind` : ""}.
    </Sentence>
  );
}

/** One stale view in words: whose, which lines, by whom, since when. */
export function StaleText(props: { stale: StaleView; state: ViewState; now: number; where?: string }) {
  const { stale, state, now, where = "" } = props;
  const { lines, removed, by, since, agent } = stale;
  const count = lineCount(lines);
  const changed =
    count === 0 ? counted(removed, "line") : `${count === 1 ? "line" : "lines"} ${rangeText(lines)}`;
  const verb = `${(count || removed) === 1 ? "was" : "were"} ${count === 0 ? "removed" : "changed"}`;
  const when = ago(since, now);
  return (
    <>
      <AgentName state={state} id={agent} /> has not seen that {changed}
      {where} {verb} by {by.length === 0 ? "you or another program" : <AgentNames state={state} ids={by} />}{" "}
      {when === "now" ? "just now" : `${when} ago`}
    </>
  );
}

function LostBanner({ state, restore }: Pick<HeadlineProps, "state" | "restore">) {
  const { lost } = state;
  const [first] = [...lost].sort((one, two) => (two.lost?.time ?? 0) - (one.lost?.time ?? 0));
  const owners = [...new Set(lost.map(({ agent }) => agent))];
  const paths = [...new Set(lost.map(({ path }) => path))];
  const canRestore = lost.some(({ kept }) => kept);
  const cause = first?.lost;
  return (
    <section class="headline banner" role="alert" aria-label="lost work">
      <p>
        <b class="bad">{counted(lost.length, "edit")} lost</b> of <AgentNames state={state} ids={owners} /> in{" "}
        {shortPath(visible(paths[0] ?? ""), 40)}
        {paths.length > 1 ? ` and ${counted(paths.length - 1, "more file")}` : ""}
        {cause ? (
          <>
            , taken away by <AgentName state={state} id={cause.agent} />
          </>
        ) : null}
        {cause?.command ? (
          <>
            {" "}
            with <code>{visible(cause.command).slice(0, longestCommand)}</code>
          </>
        ) : null}
      </p>
      {state.actions && canRestore ? (
        <button type="button" class="action" onClick={restore}>
          Restore {lost.length === 1 ? "it" : "all"}
        </button>
      ) : null}
      {state.actions || !canRestore ? null : <code>kedge restore --all</code>}
      {canRestore ? null : <span>Its text was not kept.</span>}
    </section>
  );
}
