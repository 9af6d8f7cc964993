/** The page as a whole: top line, banner, three panels, timeline, keyboard. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { visible } from "../../text/index.js";
import type { ViewEvent, ViewMessage, ViewState } from "../contract.js";
import { counted, shortPath } from "../words.js";
import { Confirm } from "./actions.js";
import { Agents } from "./agents.js";
import { Events, type Wish } from "./events.js";
import { Files } from "./files.js";
import { AgentName, Dialog } from "./parts.js";
import { type Source, Unauthorised } from "./source.js";
import { Timeline } from "./timeline.js";

/** Events that the page holds at most; older ones are asked for again. */
const mostEvents = 400;
const retryAfter = 2000;

type Link = "live" | "lost" | "closed";

export function App({ source }: { source: Source }) {
  const { live, events, hasOlder, older, link, beat } = useStream(source);
  const [at, setAt] = useState<number | null>(null);
  const past = usePast(source, at);
  const [chosen, choose] = useState<string | null>(null);
  const [opened, open] = useState<string | null>(null);
  const [wished, wish] = useState<Wish | null>(null);
  const [isHelp, setHelp] = useState(false);
  const now = useNow();
  const state = at === null ? live : (past ?? live);
  const moment = at ?? now;
  const shownEvents = at === null ? events : events.filter(({ time }) => time <= at);
  const restoreAll = useCallback(() => {
    if (live?.actions && live.lost.length > 0) wish(restoring(live));
  }, [live]);
  useKeys({
    restoreAll,
    at,
    setAt,
    choose,
    open,
    opened,
    events: shownEvents,
    setHelp,
    isBusy: wished !== null || isHelp,
  });
  if (!state) return <p class="loading">Looking at the tree…</p>;
  return (
    <div class={at === null ? "app" : "app paused"}>
      <Top state={state} link={link} isPaused={at !== null} help={() => setHelp(true)} />
      {state.lost.length > 0 ? <LostBanner state={state} restore={() => wish(restoring(state))} /> : null}
      <main>
        <Agents {...{ state, chosen, choose }} now={moment} />
        <Files {...{ state, chosen }} now={moment} />
        <Events
          {...{ state, chosen, source, hasOlder, older, opened, open, wish }}
          events={shownEvents}
          now={moment}
        />
      </main>
      <Timeline {...{ source, now, at, beat }} go={setAt} />
      {wished ? <Confirm wish={wished} source={source} close={() => wish(null)} /> : null}
      {isHelp ? <Help close={() => setHelp(false)} /> : null}
    </div>
  );
}

function restoring({ lost }: ViewState): Wish {
  const ids = lost.filter(({ kept }) => kept).map(({ id }) => id);
  return { action: "restore", ids, title: `Restore ${counted(ids.length, "lost edit")}` };
}

function Top({
  state,
  link,
  isPaused,
  help,
}: {
  state: ViewState;
  link: Link;
  isPaused: boolean;
  help: () => void;
}) {
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
      <h1>
        {visible(repository)}
        {branch === null ? null : <span class="branch">{visible(branch)}</span>}
      </h1>
      <dl>
        {figures.map(([label, value, kind]) => (
          <div key={label} class={kind}>
            <dt>{label}</dt>
            <dd>{value.toLocaleString("en")}</dd>
          </div>
        ))}
      </dl>
      <span class={`link ${isPaused ? "paused" : link}`} role="status">
        {isPaused
          ? "paused"
          : link === "live"
            ? "live"
            : link === "lost"
              ? "connecting…"
              : "kedge ui has ended"}
      </span>
      <button type="button" class="plain" onClick={help} aria-label="Keyboard help">
        ?
      </button>
    </header>
  );
}

function LostBanner({ state, restore }: { state: ViewState; restore: () => void }) {
  const { lost } = state;
  const [first] = [...lost].sort((one, two) => (two.lost?.time ?? 0) - (one.lost?.time ?? 0));
  const owners = [...new Set(lost.map(({ agent }) => agent))];
  const paths = [...new Set(lost.map(({ path }) => path))];
  return (
    <section class="banner" role="alert" aria-label="lost work">
      <p>
        <b>{counted(lost.length, "edit")} lost</b> of{" "}
        {owners.slice(0, 4).map((id) => (
          <AgentName key={id} state={state} id={id} />
        ))}{" "}
        in {shortPath(visible(paths[0] ?? ""), 40)}
        {paths.length > 1 ? ` and ${counted(paths.length - 1, "more file")}` : ""}
        {first?.lost?.command ? (
          <>
            , taken away by <AgentName state={state} id={first.lost.agent} /> with{" "}
            <code>{visible(first.lost.command).slice(0, 80)}</code>
          </>
        ) : null}
      </p>
      {state.actions ? (
        <button type="button" class="action" onClick={restore}>
          Restore {lost.length === 1 ? "it" : "all"}
        </button>
      ) : (
        <code>kedge restore --all</code>
      )}
    </section>
  );
}

const keys: readonly (readonly [string, string])[] = [
  ["j, k", "next, previous event"],
  ["Enter", "open or close what has the focus"],
  ["Escape", "close; show all agents"],
  ["r", "restore what is lost (asks first)"],
  ["space", "pause, or go on"],
  ["[, ]", "a minute back, a minute on"],
  ["1, 2, 3", "agents, files, events"],
  ["?", "this list"],
];

function Help({ close }: { close: () => void }) {
  return (
    <Dialog title="Keyboard" onClose={close}>
      <dl class="keys">
        {keys.map(([key, meaning]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

/** The state now and the newest events, as the stream tells them; a broken stream is taken up again. */
function useStream(source: Source) {
  const [live, setLive] = useState<ViewState | null>(null);
  const [events, setEvents] = useState<readonly ViewEvent[]>([]);
  const [next, setNext] = useState<string | null>(null);
  const [link, setLink] = useState<Link>("lost");
  const [beat, setBeat] = useState(0);
  useEffect(() => {
    const ending = new AbortController();
    const heard = (message: ViewMessage) => {
      setLink("live");
      if (message.type === "state") return setLive(message.state);
      setBeat((count) => count + 1);
      setEvents((all) => merged([message.event], all));
    };
    const run = async () => {
      while (!ending.signal.aborted) {
        try {
          const page = await source.history(null);
          setEvents((all) => merged(page.events, all));
          setNext((before) => before ?? page.next);
          await source.listen(heard, ending.signal);
        } catch (error) {
          if (error instanceof Unauthorised) return setLink("closed");
        }
        if (ending.signal.aborted) return;
        setLink("lost");
        await new Promise((done) => setTimeout(done, retryAfter));
      }
    };
    void run();
    return () => ending.abort();
  }, [source]);
  const older = async () => {
    if (next === null) return;
    const page = await source.history(next);
    setEvents((all) => merged(page.events, all, all.length + page.events.length));
    setNext(page.next);
  };
  return { live, events, hasOlder: next !== null, older, link, beat };
}

/** Newest first, each once, no more than the page can hold. */
function merged(
  some: readonly ViewEvent[],
  others: readonly ViewEvent[],
  most = mostEvents,
): readonly ViewEvent[] {
  const all = new Map([...others, ...some].map((event) => [event.id, event]));
  return [...all.values()]
    .sort((one, two) => two.time - one.time || (one.id < two.id ? 1 : -1))
    .slice(0, most);
}

/** The state of the moment that the timeline points at; asked for when the handle rests. */
function usePast(source: Source, at: number | null): ViewState | null {
  const [past, setPast] = useState<ViewState | null>(null);
  useEffect(() => {
    if (at === null) return setPast(null);
    let isGone = false;
    const timer = setTimeout(() => {
      source.state(at).then(
        (state) => isGone || setPast(state),
        () => {},
      );
    }, 120);
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [source, at]);
  return past;
}

/** The clock of the page: once a second, and not at all while nobody looks. */
function useNow(): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => document.hidden || setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

interface Keys {
  readonly events: readonly ViewEvent[];
  readonly at: number | null;
  readonly opened: string | null;
  readonly isBusy: boolean;
  setAt(at: number | null): void;
  choose(agent: string | null): void;
  open(id: string | null): void;
  setHelp(isHelp: boolean): void;
  restoreAll(): void;
}

function useKeys(current: Keys): void {
  const latest = useRef(current);
  latest.current = current;
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const keys = latest.current;
      const target = event.target as HTMLElement;
      const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName);
      if (keys.isBusy || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      if (handle(event.key, keys, target)) event.preventDefault();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
}

function handle(key: string, keys: Keys, target: HTMLElement): boolean {
  const { at, setAt, opened, open, events } = keys;
  const step = (by: number) => {
    const next = events[Math.max(0, events.findIndex(({ id }) => id === opened) + by)];
    if (next === undefined) return;
    open(next.id);
    queueMicrotask(() =>
      document.querySelector<HTMLElement>(`[data-event="${CSS.escape(next.id)}"] button`)?.focus(),
    );
  };
  const focus = (panel: string) =>
    document.querySelector<HTMLElement>(`.${panel} button, .${panel} summary`)?.focus();
  const actions: Readonly<Record<string, () => void>> = {
    j: () => step(1),
    k: () => step(-1),
    r: keys.restoreAll,
    "[": () => setAt((at ?? Date.now()) - 60_000),
    "]": () => setAt(at !== null && at + 65_000 < Date.now() ? at + 60_000 : null),
    "1": () => focus("agents"),
    "2": () => focus("files"),
    "3": () => focus("events"),
    "?": () => keys.setHelp(true),
    Escape: () => {
      open(null);
      keys.choose(null);
    },
  };
  if (key === " " && target.tagName !== "BUTTON") {
    setAt(at === null ? Date.now() : null);
    return true;
  }
  actions[key]?.();
  return key in actions;
}
