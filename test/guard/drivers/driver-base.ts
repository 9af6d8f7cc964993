/** What the drivers of several clients share. */

import type { Call, Reply, Who } from "./driver.js";
import {
  type Action,
  type Done,
  type Driver,
  nothing,
  only,
  type Payload,
  record,
  textOf,
} from "./driver.js";

type Tools = {
  readonly [Kind in Action["do"]]?: (action: Extract<Action, { do: Kind }>, who: Who) => Call;
};

/** Calls the client's tool for an action; throws if it has none. */
export function callWith(client: string, tools: Tools): Driver["call"] {
  return (action, who) => {
    const tool = tools[action.do] as ((action: Action, who: Who) => Call) | undefined;
    if (!tool) throw new Error(`${client} has no tool for ${action.do}`);
    return tool(action, who);
  };
}

/** The part of a file that is asked for, as most tools name it. */
export function windowOf({ lines }: Extract<Action, { do: "read" }>): Payload {
  return lines ? { offset: lines.first, limit: lines.last - lines.first + 1 } : {};
}

/** A call that has run, and of which the client tells once, when formatters have run too. */
export function done(printed: string, settled: Done["settled"], failed: string | null = null): Done {
  return { failed, printed, after: () => [], settled };
}

/** A failed call of which the client tells nothing. */
export function failedSilently(text: string): Done {
  return done(text, () => [], text);
}

/** Reads the answer of a hook; `read` takes what the client takes from it, and throws for what the client does not know. */
export function hookReply(read: (told: Payload, specific: Payload) => Omit<Reply, "say">): Driver["reply"] {
  return (output) => {
    if (output === null) return nothing;
    const told = JSON.parse(output) as Payload;
    return { ...read(told, record(told.hookSpecificOutput)), say: textOf(told.systemMessage) };
  };
}

/** Reads the answer that a plugin or an extension hands on. */
export const pluginReply: Driver["reply"] = (output) => {
  if (output === null) return nothing;
  const told = JSON.parse(output) as Payload;
  only(told, ["deny", "args", "append", "say"]);
  const input = told.args === undefined ? null : record(told.args);
  return { deny: textOf(told.deny), input, tell: textOf(told.append), say: textOf(told.say) };
};

/** What most hooks name so: the reason of a refusal, and what the model is told. */
export function commonReply(specific: Payload): Pick<Reply, "deny" | "tell"> {
  const isDenied = specific.permissionDecision === "deny";
  return {
    deny: isDenied ? textOf(specific.permissionDecisionReason) : null,
    tell: textOf(specific.additionalContext),
  };
}
