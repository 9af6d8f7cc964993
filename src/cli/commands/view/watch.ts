import type { ViewMessage, Window } from "../../../view/index.js";
import type { Context, Run } from "../../context.js";
import { done } from "../../flag-types.js";
import { openView } from "../../open-view.js";

const eventsShown = 200;

export const run: Run = async (context) => {
  const { args, output, interrupt } = context;
  const { source, actions } = await openView(context);
  const { eventRow, Feed, screenOf, watchWindow } = await import("../../../view/index.js");
  const isJson = args.has("json");
  const print = (message: ViewMessage, name: string) => {
    if (isJson) output.out.line(JSON.stringify(message));
    else if (message.type === "event") output.out.line(eventRow(message.event, name));
  };
  if (args.has("once")) {
    await source.state();
    await source.settled();
    const state = await source.state();
    const { events } = await source.history(null, eventsShown);
    if (isJson) print({ type: "state", state }, "");
    if (isJson) for (const event of events.toReversed()) print({ type: "event", event }, "");
    else {
      const columns = output.out.isTerminal ? output.out.columns : Number.POSITIVE_INFINITY;
      const shown = { columns, rows: null, hasColour: false, now: state.time };
      output.out.line(screenOf(state, events, shown).join("\n"));
    }
    return done;
  }
  const feed = new Feed(source, undefined, (line) => output.err.line(`kedge: ${line}`));
  const ended = interrupt.arrived();
  if (output.out.isTerminal && !isJson) {
    await watchWindow({ feed, source, actions }, terminalWindow(context), ended);
    return done;
  }
  const names = new Map<string, string>();
  const stop = feed.listen((message) => {
    if (message.type === "state") for (const { id, name } of message.state.agents) names.set(id, name);
    print(message, message.type === "event" ? (names.get(message.event.agent) ?? message.event.agent) : "");
  });
  await ended;
  stop();
  return done;
};

/** The window of this process. Its own sequences are written past the filter that shows those of file names. */
function terminalWindow({ output, env }: Context): Window {
  const { stdin, stdout } = process;
  const write = (text: string): void => void stdout.write(text);
  return {
    hasColour: !env.NO_COLOR && env.TERM !== "dumb",
    size: () => ({ columns: stdout.columns || output.out.columns, rows: stdout.rows || 24 }),
    write,
    keys(pressed) {
      if (!stdin.isTTY) return () => {};
      stdin.setRawMode(true);
      stdin.setEncoding("utf8");
      const heard = (text: string) => {
        for (const key of text) pressed(key);
      };
      stdin.on("data", heard);
      return () => {
        stdin.off("data", heard);
        stdin.setRawMode(false);
        stdin.pause();
      };
    },
    resized(changed) {
      stdout.on("resize", changed);
      return () => void stdout.off("resize", changed);
    },
  };
}
