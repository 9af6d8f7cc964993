/** The keyboard of the page: everything that a pointer can do. */
import { useEffect, useRef } from "preact/hooks";
import type { ViewEvent } from "../contract.js";

export interface Keys {
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

export function useKeys(current: Keys): void {
  const latest = useRef(current);
  latest.current = current;
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const keys = latest.current;
      const target = event.target as HTMLElement;
      const isChoosing = target.tagName === "SELECT";
      if (keys.isBusy || isChoosing || event.ctrlKey || event.metaKey || event.altKey) return;
      if (hasDone(event.key, keys, target)) event.preventDefault();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
}

/** Does what the key asks for; false for a key that asks for nothing. */
function hasDone(key: string, keys: Keys, target: HTMLElement): boolean {
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
    (
      document.querySelector<HTMLElement>(`.${panel} :is(.card, .event-head)`) ??
      document.querySelector<HTMLElement>(`.${panel}`)
    )?.focus();
  const pause = () => setAt(at === null ? Date.now() : null);
  const actions: Readonly<Record<string, () => void>> = {
    j: () => step(1),
    k: () => step(-1),
    r: keys.restoreAll,
    p: pause,
    "[": () => setAt((at ?? Date.now()) - 60_000),
    "]": () => setAt(at !== null && at + 65_000 < Date.now() ? at + 60_000 : null),
    "1": () => focus("agents"),
    "2": () => focus("files"),
    "3": () => focus("events"),
    "?": () => keys.setHelp(true),
    Escape: () => {
      open(null);
      keys.choose(null);
      // New rows wait while the keyboard is among the old ones.
      target.blur();
    },
  };
  if (key === " " && target.tagName !== "BUTTON") {
    pause();
    return true;
  }
  actions[key]?.();
  return key in actions;
}
