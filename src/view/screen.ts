/** The live view as lines of a terminal. */
import { displayName, hueOf, terminalColour, visible } from "../text/index.js";
import type { AgentGroup, Lane, ViewAgent, ViewEvent, ViewFile, ViewState } from "./contract.js";
import { ago, clockTime, counted, eventText, lineCount, rangeText, shortPath } from "./words.js";

export interface ScreenOptions {
  readonly columns: number;
  /** Lines of the window; without a window, everything is shown. */
  readonly rows: number | null;
  readonly hasColour: boolean;
  readonly now: number;
}

type Paint = (text: string, code: string) => string;

const groupTitles: Readonly<Record<AgentGroup, string>> = {
  needs: "needs you",
  working: "working",
  quiet: "quiet",
};
const narrowestStrip = 10;
const widestStrip = 60;
const linesWidth = 11;
/** Room for ` 1234 changed` behind a strip, and in a wide window for the agent's name before it. */
const noteWidth = { narrow: 14, wide: 36 } as const;
const wideWindow = 110;

/** Cuts a text to so many characters, with an ellipsis. Double-width characters count once. */
function fitted(text: string, width: number): string {
  const characters = [...text];
  if (characters.length <= width) return text;
  return width < 1 ? "" : `${characters.slice(0, width - 1).join("")}…`;
}

const padded = (text: string, width: number): string =>
  text + " ".repeat(Math.max(0, width - [...text].length));

/** Returns the lines of one screen: top line, losses, agents, files, events; each part gets its share of the window. */
export function screenOf(state: ViewState, events: readonly ViewEvent[], options: ScreenOptions): string[] {
  const paint: Paint = options.hasColour ? (text, code) => `\u001b[${code}m${text}\u001b[0m` : (text) => text;
  const top = topLines(state, options, paint);
  const agents = agentLines(state, options, paint);
  const files = fileLines(state, options, paint);
  const happened = events.map((event) => eventLine(event, state, options, paint));
  if (options.rows === null) return [...top, "", ...agents, "", ...files, "", ...happened];
  const left = Math.max(0, options.rows - top.length - 4);
  const forAgents = Math.min(agents.length, Math.max(2, Math.floor(left * 0.35)));
  const forFiles = Math.min(files.length, Math.max(2, Math.floor(left * 0.35)));
  const parts = [agents.slice(0, forAgents), files.slice(0, forFiles)];
  const rest = Math.max(0, left - forAgents - forFiles);
  const keys = paint(fitted("q quits · r restores what is lost · p pauses", options.columns), "2");
  const body = [...top, "", ...parts[0]!, "", ...parts[1]!, "", ...happened.slice(0, rest)].slice(
    0,
    options.rows - 1,
  );
  return [...body, ...Array.from({ length: Math.max(0, options.rows - 1 - body.length) }, () => ""), keys];
}

function topLines(state: ViewState, { columns }: ScreenOptions, paint: Paint): string[] {
  const { counts, repository, branch, lost } = state;
  const place = `${visible(repository)}${branch === null ? "" : ` (${visible(branch)})`}`;
  const figures = `${counted(counts.working, "agent")} at work · ${counted(counts.editsLastHour, "edit")} in the last hour · ${counts.relocated} relocated · ${counts.refused} refused`;
  const loss = counts.lost === 0 ? "nothing lost" : `${counts.lost} LOST`;
  const line = `${place}  ${figures} · `;
  const head = fitted(line, columns - loss.length) + paint(loss, counts.lost === 0 ? "32" : "1;31");
  const losses = lost.slice(0, 3).map(({ id, agent, path, lines, lost: notice }) => {
    const by = notice?.command
      ? `, taken away by ${nameIn(state, notice.agent)} with ${visible(notice.command)}`
      : "";
    const where = `${visible(path)}${lines.length > 0 ? `:${rangeText(lines)}` : ""}`;
    return paint(
      fitted(`  lost: ${where} of ${nameIn(state, agent)}${by}; kedge restore ${id}`, columns),
      "31",
    );
  });
  const more =
    lost.length > 3 ? [paint(`  and ${counted(lost.length - 3, "more lost edit")}: kedge lost`, "31")] : [];
  return [head, ...losses, ...more];
}

function nameIn(state: ViewState, id: string): string {
  return visible(state.agents.find((agent) => agent.id === id)?.name ?? displayName(id));
}

/** The colour that the agent has among the others; an agent that is gone has its own. */
function hueIn({ agents }: ViewState, id: string): number {
  return agents.find((agent) => agent.id === id)?.hue ?? hueOf(id);
}

function agentLines(state: ViewState, options: ScreenOptions, paint: Paint): string[] {
  const { agents } = state;
  if (agents.length === 0)
    return ["No agent has worked here yet. `kedge install` puts the guard before the agent you have."];
  const widest = Math.min(28, Math.max(...agents.map(({ name }) => visible(name).length)));
  return agents.map((agent) => {
    const name = paint(
      padded(fitted(visible(agent.name), widest), widest),
      `38;5;${terminalColour(agent.hue)}`,
    );
    const behind = agent.behind > 0 ? ` · ${counted(agent.behind, "line")} behind` : "";
    const rest = `${padded(groupTitles[agent.group], 9)} ${padded(ago(agent.seen, options.now), 6)} ${stepText(agent)}`;
    const figures = ` · ${counted(agent.edits, "edit")}${agent.refusals > 0 ? `, ${agent.refusals} refused` : ""}`;
    const room = options.columns - widest - 2;
    const text = fitted(`${rest}${figures}`, room - behind.length);
    return `${name}  ${text}${behind === "" ? "" : paint(behind, "33")}`;
  });
}

function stepText({ now }: ViewAgent): string {
  if (!now) return "has looked at files";
  if (now.command !== null) return `$ ${visible(now.command).slice(0, 60)}`;
  return `${now.tool} ${visible(now.path ?? "")}${now.lines.length > 0 ? `:${rangeText(now.lines)}` : ""}`;
}

function fileLines(state: ViewState, options: ScreenOptions, paint: Paint): string[] {
  const { files } = state;
  const absent = state.actions ? "gone" : "not here";
  const pathWidth = options.columns < 100 ? 20 : 32;
  const before = pathWidth + linesWidth + 2;
  const isWide = options.columns >= wideWindow;
  const room = isWide ? noteWidth.wide : noteWidth.narrow;
  const width = Math.min(widestStrip, Math.max(narrowestStrip, options.columns - before - room));
  return files.slice(0, options.rows === null ? files.length : 12).flatMap((file) => {
    const path = padded(shortPath(visible(file.path), pathWidth), pathWidth);
    const lines = padded(file.lines === 0 ? absent : counted(file.lines, "line"), linesWidth);
    const lanes = file.lanes.filter(({ wrote, stale }) => wrote.length + stale.length > 0).slice(0, 3);
    const rows = (lanes.length > 0 ? lanes : file.lanes.slice(0, 1)).map((lane, at) => {
      const strip = stripOf(lane, file, { width, paint, hue: hueIn(state, lane.agent) });
      const changed = lane.stale.length === 0 ? "" : ` ${lineCount(lane.stale)} changed`;
      const name = isWide ? ` ${fitted(nameIn(state, lane.agent), room - changed.length - 1)}` : "";
      const note = fitted(changed, room);
      const head = at === 0 ? `${path} ${lines}` : padded("", before - 1);
      return `${head} ${strip}${paint(name, "2")}${paint(note, "33")}`;
    });
    return rows.length > 0 ? rows : [`${path} ${lines}`];
  });
}

interface Strip {
  readonly width: number;
  readonly paint: Paint;
  readonly hue: number;
}

/** A lane as characters: `=` wrote, `-` was shown, `!` was shown and has changed since. */
function stripOf(lane: Lane, file: ViewFile, { width, paint, hue }: Strip): string {
  const cells = Array.from({ length: width }, () => "·");
  const mark = (ranges: Lane["wrote"], sign: string) => {
    for (const { start, end } of ranges) {
      const from = Math.floor(((start - 1) / Math.max(1, file.lines)) * width);
      const to = Math.max(from, Math.ceil((end / Math.max(1, file.lines)) * width) - 1);
      for (let at = from; at <= Math.min(width - 1, to); at++) cells[at] = sign;
    }
  };
  mark(lane.shown, "-");
  mark(lane.wrote, "=");
  mark(lane.stale, "!");
  return cells
    .join("")
    .replace(/=+|-+|!+|·+/g, (run) =>
      paint(run, run.startsWith("!") ? "33" : run.startsWith("=") ? `38;5;${terminalColour(hue)}` : "2"),
    );
}

function eventLine(event: ViewEvent, state: ViewState, options: ScreenOptions, paint: Paint): string {
  const name = nameIn(state, event.agent);
  const time = clockTime(event.time, options.now);
  const text = fitted(
    eventText(event, (id) => nameIn(state, id)),
    options.columns - time.length - [...name].length - 2,
  );
  const colour = event.kind === "lost" ? "1;31" : event.kind === "refusal" ? "33" : "0";
  return `${paint(time, "2")} ${paint(name, `38;5;${terminalColour(hueIn(state, event.agent))}`)} ${paint(text, colour)}`;
}

/** One event as a line of its own, for a pipe: time, agent, what happened. */
export function eventRow(event: ViewEvent, name: string): string {
  return `${new Date(event.time).toISOString()} ${visible(name)} ${eventText(event)}`;
}
