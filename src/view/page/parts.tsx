/** Small parts that several panels show. */
import { type ComponentChildren, Fragment } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { displayName, visible, visibleText } from "../../text/index.js";
import type { ViewAgent, ViewState } from "../contract.js";

export const unknownHue = 250;

export function agentOf(state: ViewState, id: string): ViewAgent | undefined {
  return state.agents.find((agent) => agent.id === id);
}

/** Returns the name that people read: the short id, or the way nobody in particular is spoken of. */
export function nameOf(state: ViewState, id: string): string {
  return visible(agentOf(state, id)?.name ?? displayName(id));
}

export function AgentName({ state, id }: { state: ViewState; id: string }) {
  const agent = agentOf(state, id);
  return (
    <span class="agent-name" style={{ "--hue": `${agent?.hue ?? unknownHue}` }}>
      <i class="dot" aria-hidden="true" />
      {nameOf(state, id)}
    </span>
  );
}

export function AgentNames({
  state,
  ids,
  most = 3,
}: {
  state: ViewState;
  ids: readonly string[];
  most?: number;
}) {
  const rest = ids.length - most;
  return (
    <>
      {ids.slice(0, most).map((id, at) => (
        <Fragment key={id}>
          {at === 0 ? "" : at === Math.min(ids.length, most) - 1 && rest <= 0 ? " and " : ", "}
          <AgentName state={state} id={id} />
        </Fragment>
      ))}
      {rest > 0 ? ` and ${rest} more` : ""}
    </>
  );
}

/** A unified diff, a line an element, so that colours need no markup from the server. */
export function Diff({ text, longest = 400 }: { text: string; longest?: number }) {
  const lines = text.replace(/\n+$/, "").split("\n");
  const kind = (line: string): string => {
    if (line.startsWith("@@")) return "at";
    if (/^(---|\+\+\+) /.test(line)) return "file";
    return line.startsWith("+") ? "add" : line.startsWith("-") ? "cut" : "";
  };
  return (
    <section class="diff" tabIndex={0} aria-label="diff">
      {lines.slice(0, longest).map((line, at) => (
        <span key={at} class={kind(line)}>{`${visibleText(line)}\n`}</span>
      ))}
      {lines.length > longest ? <span class="at">{`[${lines.length - longest} more lines]\n`}</span> : null}
    </section>
  );
}

/** A modal dialog: the browser keeps the focus inside, and Escape closes it. */
export function Dialog(props: { title: string; onClose: () => void; children: ComponentChildren }) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    element.current?.showModal();
    return () => before?.focus?.();
  }, []);
  return (
    <dialog ref={element} aria-label={props.title} onClose={props.onClose}>
      <header>
        <h2>{props.title}</h2>
        <button type="button" class="plain" onClick={props.onClose} aria-label="Close">
          ×
        </button>
      </header>
      {props.children}
    </dialog>
  );
}

/** Copies a command and says for a moment whether that went well. */
export function CopyButton({ command, label = "copy command" }: { command: string; label?: string }) {
  const [said, say] = useState<string | null>(null);
  const copy = async () => {
    await navigator.clipboard.writeText(command).then(
      () => say("copied"),
      () => say("the browser refused"),
    );
    setTimeout(() => say(null), 1500);
  };
  return (
    <button type="button" class="plain copy" onClick={copy} title={command}>
      {said ?? label}
    </button>
  );
}

/**
 * Keeps rows where they are while a pointer or the keyboard's focus is among them: a row that moved under the pointer would be
 * clicked by mistake. New rows wait until they are asked for or the pointer leaves. Another `subject` shows other rows at once.
 */
export function useSteadyRows<T>(rows: readonly T[], keyOf: (row: T) => string, subject = "") {
  const [isPointed, setPointed] = useState(false);
  const [isFocused, setFocused] = useState(false);
  const [, redraw] = useState(0);
  const held = useRef<{ subject: string; rows: Map<string, T> } | null>(null);
  const kept = held.current;
  const known =
    (isPointed || isFocused) && kept?.subject === subject && kept.rows.size > 0
      ? kept.rows
      : new Map<string, T>();
  const last = [...known.keys()].at(-1);
  const end = rows.findIndex((row) => keyOf(row) === last);
  // Rows below the last one push nothing away; a row that is gone stays until nobody points at it.
  for (const [at, row] of rows.entries()) {
    const key = keyOf(row);
    if (known.has(key) || last === undefined || (end >= 0 && at > end)) known.set(key, row);
  }
  held.current = { subject, rows: known };
  const hold = {
    onPointerEnter: () => setPointed(true),
    onPointerLeave: () => setPointed(false),
    onFocusIn: (event: FocusEvent) => setFocused((event.target as HTMLElement).matches(":focus-visible")),
    onFocusOut: () => setFocused(false),
  };
  const release = () => {
    held.current = null;
    redraw((count) => count + 1);
  };
  const waiting = rows.filter((row) => !known.has(keyOf(row))).length;
  return { shown: [...known.values()], waiting, hold, release };
}
