/** The events panel: what happened, newest first, each with its diff or its cause when it is opened. */
import { useEffect, useState } from "preact/hooks";
import { visible } from "../../../text/index.js";
import type { EventDetails, ViewEvent, ViewState } from "../../contract.js";
import { ago, clockTime, counted, eventText } from "../../words.js";
import { AgentName, CopyButton, Diff, nameOf, useSteadyRows } from "../parts.js";
import type { Source } from "../source.js";

/** What an action is asked for: the dialog shows it before it is done. */
export interface Wish {
  readonly action: "restore" | "undo";
  readonly ids: readonly string[];
  readonly title: string;
}

interface Props {
  readonly state: ViewState;
  readonly events: readonly ViewEvent[];
  readonly now: number;
  readonly chosen: string | null;
  readonly source: Source;
  readonly hasOlder: boolean;
  readonly opened: string | null;
  open(id: string | null): void;
  older(): void;
  wish(wish: Wish): void;
}

export function Events(props: Props) {
  const { state, events, chosen, hasOlder } = props;
  const { shown, waiting, hold, release } = useSteadyRows(events, ({ id }) => id, `${chosen}`);
  return (
    <section class="panel events" aria-labelledby="events-title" tabIndex={0} {...hold}>
      <h2 id="events-title">
        Events
        {chosen === null ? null : <small>of {nameOf(state, chosen)}</small>}
        <span role="status">
          {waiting > 0 ? (
            <button type="button" class="plain" onClick={release}>
              show {waiting} new
            </button>
          ) : null}
        </span>
      </h2>
      {shown.length === 0 ? <p class="empty">Nothing has happened in the time that is shown.</p> : null}
      <ol>
        {shown.map((event) => (
          <li key={event.id} class={`event ${event.kind}`} data-event={event.id}>
            <EventRow {...props} event={event} />
          </li>
        ))}
      </ol>
      {hasOlder ? (
        <button type="button" class="plain more" onClick={props.older}>
          older events
        </button>
      ) : null}
    </section>
  );
}

function EventRow({ event, state, now, opened, open, source, wish }: Props & { event: ViewEvent }) {
  const isOpen = opened === event.id;
  return (
    <>
      <button
        type="button"
        class="event-head"
        aria-expanded={isOpen}
        onClick={() => open(isOpen ? null : event.id)}
      >
        <time title={clockTime(event.time, now)}>{ago(event.time, now)}</time>
        <span class="what">
          <AgentName state={state} id={event.agent} />{" "}
          <span class="happened">{eventText(event, (id) => nameOf(state, id))}</span>
        </span>
      </button>
      {isOpen ? <Details {...{ event, state, source, wish }} /> : null}
    </>
  );
}

function Details(props: { event: ViewEvent; state: ViewState; source: Source; wish: (wish: Wish) => void }) {
  const { event, state, source, wish } = props;
  const [details, setDetails] = useState<EventDetails | null>(null);
  useEffect(() => {
    let isGone = false;
    source.event(event.id).then(
      (answer) => isGone || setDetails(answer),
      () => {},
    );
    return () => {
      isGone = true;
    };
  }, [event.id]);
  const losses = state.lost.filter(({ id }) => id === event.id || event.edits.includes(id));
  const lost = losses.map(({ id }) => id);
  return (
    <div class="details">
      {details?.reason ? <p>{details.reason} Nothing was written.</p> : null}
      {event.cause ? <p class="cause">{causeText(event)}</p> : null}
      {details?.diff ? <Diff text={details.diff} /> : null}
      {details && !details.diff && event.kind === "lost"
        ? losses.map(({ id, diff }) => (diff === "" ? null : <Diff key={id} text={diff} />))
        : null}
      {details?.because ? <Because {...{ event, state }} because={details.because} /> : null}
      {details && event.kind === "commit" && details.diff === null ? (
        <p class="cause">The texts of this event are not kept.</p>
      ) : null}
      <p class="buttons">
        {state.actions && lost.length > 0 ? (
          <button
            type="button"
            class="action"
            onClick={() =>
              wish({ action: "restore", ids: lost, title: `Restore ${counted(lost.length, "edit")}` })
            }
          >
            Restore
          </button>
        ) : null}
        {state.actions && event.canUndo && lost.length === 0 ? (
          <button
            type="button"
            onClick={() =>
              wish({ action: "undo", ids: [event.id], title: `Undo this edit of ${visible(event.path)}` })
            }
          >
            Undo
          </button>
        ) : null}
        <CopyButton command={commandOf(event, lost)} />
      </p>
    </div>
  );
}

/** The edit that a refused call would have overwritten. */
function Because(props: {
  event: ViewEvent;
  state: ViewState;
  because: NonNullable<EventDetails["because"]>;
}) {
  const { event, state, because } = props;
  return (
    <>
      <p>
        <AgentName state={state} id={because.event.agent} /> {eventText(because.event)}{" "}
        {ago(because.event.time, event.time).replace(/^now$/, "a moment")} before:
      </p>
      {because.diff ? <Diff text={because.diff} /> : null}
    </>
  );
}

/** The command that did it, or what the refusal said. */
function causeText({ kind, cause }: ViewEvent): string {
  return `${kind === "refusal" ? "" : "$ "}${visible(cause ?? "")}`;
}

function commandOf({ id, canUndo }: ViewEvent, lost: readonly string[]): string {
  if (lost.length > 0) return `kedge restore ${lost.join(" ")}`;
  return canUndo ? `kedge undo --id ${id}` : `kedge show ${id}`;
}
