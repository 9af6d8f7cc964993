/** The page as a whole: top line, headline, three panels, timeline, keyboard. */
import { useCallback, useState } from "preact/hooks";
import type { ViewState } from "../contract.js";
import { counted } from "../words.js";
import { useKeys } from "./keys.js";
import { Confirm } from "./panels/actions.js";
import { Agents } from "./panels/agents.js";
import { Events, type Wish } from "./panels/events.js";
import { Files } from "./panels/files.js";
import { Headline, Top } from "./panels/headline.js";
import { Timeline } from "./panels/timeline.js";
import { Welcome } from "./panels/welcome.js";
import { Dialog } from "./parts.js";
import type { Source } from "./source.js";
import { useNow, usePast, usePastEvents, useStream } from "./stream.js";

export function App({ source }: { source: Source }) {
  const { live, events, hasOlder, older, link, heardAt, beat } = useStream(source);
  const [at, setAt] = useState<number | null>(null);
  const past = usePast(source, at);
  const pastEvents = usePastEvents(source, at, events);
  const [chosen, choose] = useState<string | null>(null);
  const [opened, open] = useState<string | null>(null);
  const [wished, wish] = useState<Wish | null>(null);
  const [isHelp, setHelp] = useState(false);
  const now = useNow();
  const known = at === null ? live : (past ?? live);
  // A server that does not answer can write nothing.
  const state = known && link !== "live" ? { ...known, actions: false } : known;
  const moment = at ?? now;
  const shownEvents = (pastEvents?.events ?? events).filter(
    ({ time, agent }) => (at === null || time <= at) && (chosen === null || agent === chosen),
  );
  const restoreAll = useCallback(() => {
    if (live?.actions && link === "live" && restorable(live).length > 0) wish(restoring(live));
  }, [live, link]);
  useKeys({
    ...{ restoreAll, at, setAt, choose, open, opened, events: shownEvents, setHelp },
    isBusy: wished !== null || isHelp,
  });
  if (!state) return <p class="loading">Looking at the tree…</p>;
  const isEmpty = at === null && state.agents.length + state.files.length + events.length === 0;
  return (
    <div class={at === null ? "app" : "app paused"}>
      <Top state={state} link={link} isPaused={at !== null} help={() => setHelp(true)} />
      <Headline
        {...{ state, live, link, heardAt, at, now }}
        restore={() => wish(restoring(state))}
        goLive={() => setAt(null)}
      />
      {isEmpty ? (
        <Welcome />
      ) : (
        <main>
          <Agents {...{ state, chosen, choose }} now={moment} isPast={at !== null} />
          <Files {...{ state, chosen }} now={moment} isPast={at !== null} />
          <Events
            {...{ state, chosen, source, opened, open, wish }}
            {...(pastEvents ?? { hasOlder, older })}
            events={shownEvents}
            now={moment}
          />
        </main>
      )}
      <Timeline {...{ source, now, at, beat }} newest={events[0]?.time ?? null} go={setAt} />
      {wished ? <Confirm wish={wished} source={source} close={() => wish(null)} /> : null}
      {isHelp ? <Help close={() => setHelp(false)} /> : null}
    </div>
  );
}

function restorable({ lost }: ViewState): readonly string[] {
  return lost.filter(({ kept }) => kept).map(({ id }) => id);
}

function restoring(state: ViewState): Wish {
  const ids = restorable(state);
  return { action: "restore", ids, title: `Restore ${counted(ids.length, "lost edit")}` };
}

const keys: readonly (readonly [string, string])[] = [
  ["j, k", "next, previous event"],
  ["Enter", "open or close what has the focus"],
  ["Escape", "close; show all agents"],
  ["r", "restore what is lost (asks first)"],
  ["space, p", "pause, or go on"],
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
