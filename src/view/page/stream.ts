/** Follows the server: the state now or at an earlier moment, the newest events, and whether anybody still tells of them. */
import { useEffect, useState } from "preact/hooks";
import type { EventPage, ViewEvent, ViewMessage, ViewState } from "../contract.js";
import { type Source, Unauthorised } from "./source.js";

/** Events that the page holds at most; older ones are asked for again. */
const mostEvents = 400;
const retryAfter = 2000;
/** The handle of the timeline rests after so long, in milliseconds. */
const restsAfter = 120;

/** `closed`: another address is needed, since the command was started anew. */
export type Link = "live" | "waiting" | "closed";

/** The state now and the newest events, as the stream tells them; a broken stream is taken up again. */
export function useStream(source: Source) {
  const [live, setLive] = useState<ViewState | null>(null);
  const [events, setEvents] = useState<readonly ViewEvent[]>([]);
  const [next, setNext] = useState<string | null>(null);
  const [link, setLink] = useState<Link>("waiting");
  const [heardAt, setHeardAt] = useState(Date.now());
  const [beat, setBeat] = useState(0);
  useEffect(() => {
    const ending = new AbortController();
    const heard = (message: ViewMessage) => {
      setLink("live");
      setHeardAt(Date.now());
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
        setLink("waiting");
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
  return { live, events, hasOlder: next !== null, older, link, heardAt, beat };
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
export function usePast(source: Source, at: number | null): ViewState | null {
  const [past, setPast] = useState<ViewState | null>(null);
  useEffect(() => {
    if (at === null) return setPast(null);
    let isGone = false;
    const timer = setTimeout(() => {
      source.state(at).then(
        (state) => isGone || setPast(state),
        () => {},
      );
    }, restsAfter);
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [source, at]);
  return past;
}

/** The events up to the moment that the timeline points at, where those at hand do not go back so far. */
export function usePastEvents(source: Source, at: number | null, events: readonly ViewEvent[]) {
  const [page, setPage] = useState<EventPage | null>(null);
  const oldest = events.at(-1)?.time ?? 0;
  const isWanted = at !== null && oldest > at;
  useEffect(() => {
    setPage(null);
    if (!isWanted) return;
    let isGone = false;
    const timer = setTimeout(() => {
      source.historyAt(at).then(
        (found) => isGone || setPage(found),
        () => {},
      );
    }, restsAfter);
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [source, at, isWanted]);
  const older = async () => {
    if (!page?.next) return;
    const more = await source.history(page.next);
    setPage({ events: [...page.events, ...more.events], next: more.next });
  };
  return isWanted ? { events: page?.events ?? [], hasOlder: Boolean(page?.next), older } : null;
}

/** The clock of the page: once a second, and not at all while nobody looks. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => document.hidden || setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
