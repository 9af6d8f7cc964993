/** Small parts that several panels show. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { visible, visibleText } from "../../text/index.js";
import type { ViewAgent, ViewState } from "../contract.js";
import { displayName } from "../words.js";

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

/** A unified diff, a line an element, so that colours need no markup from the server. */
export function Diff({ text, longest = 400 }: { text: string; longest?: number }) {
  const lines = text.split("\n");
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

/** Copies a command and says so for a moment. */
export function CopyButton({ command }: { command: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(command).catch(() => {});
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <button type="button" class="plain" onClick={copy} title={command}>
      {isCopied ? "copied" : "copy command"}
    </button>
  );
}

/**
 * Keeps rows where they are while a pointer or the focus is among them: a row that moved under the pointer would be clicked
 * by mistake. Rows keep their order until the pointer leaves; new rows wait.
 */
export function useSteadyRows<T>(rows: readonly T[], keyOf: (row: T) => string) {
  const [isHeld, setHeld] = useState(false);
  const order = useRef<readonly string[]>([]);
  const found = new Map(rows.map((row) => [keyOf(row), row]));
  let shown = rows;
  if (isHeld) {
    const known = new Set(order.current);
    const last = rows.findIndex((row) => keyOf(row) === order.current.at(-1));
    // Rows below the last one push nothing away.
    const below = rows.slice(last + 1).map(keyOf);
    order.current = [...order.current, ...below.filter((key) => !known.has(key))];
    shown = order.current.flatMap((key) => found.get(key) ?? []);
  } else order.current = rows.map(keyOf);
  const waiting = isHeld ? rows.length - shown.length : 0;
  const hold = { onPointerEnter: () => setHeld(true), onPointerLeave: () => setHeld(false) };
  return { shown, waiting, hold };
}
