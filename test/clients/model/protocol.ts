/** What the scripted model says, before it is put into the words of one API. */
export interface Reply {
  readonly text?: string;
  readonly calls?: readonly Call[];
  /** The tokens this exchange is said to have used: how a client is brought to compact by itself. */
  readonly tokens?: number;
}

export interface Call {
  readonly tool: string;
  readonly input: object | string;
}

/** What one request tells the model. */
export interface Question {
  readonly offersTools: boolean;
  /** Names of the offered tools. */
  readonly tools: readonly string[];
  /** What was said before the model first spoke: whose conversation this is. */
  readonly opening: string;
  /** The whole conversation as the model has it now. */
  readonly history: string;
  /** Everything that came since the model last spoke, results of its calls included, word for word. */
  readonly received: string;
}

export interface Answer {
  readonly type: "application/json" | "text/event-stream";
  readonly body: string;
}

/** One API that clients speak. */
export interface Protocol {
  answers(path: string): boolean;
  read(body: Body): Question;
  write(request: { path: string; body: Body }, reply: Reply): Answer;
}

// biome-ignore lint/suspicious/noExplicitAny: requests of foreign programs; what is read of them is checked by use
export type Body = any;

let last = 0;
/** Identifiers are unique over all servers of one process: two conversations never share one. */
export const identifier = (prefix: string): string => `${prefix}${++last}`;

export const json = (value: unknown): Answer => ({
  type: "application/json",
  body: JSON.stringify(value),
});

/** Server-sent events, each with its name where the API has names. */
export const events = (list: readonly { name?: string; data: unknown }[]): Answer => ({
  type: "text/event-stream",
  body: list
    .map(({ name, data }) => {
      const line = `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
      return name === undefined ? line : `event: ${name}\n${line}`;
    })
    .join(""),
});

/** The words of a message's content, which is a text or a list of parts with one each. */
export const words = (content: Body): string =>
  typeof content === "string"
    ? content
    : (content ?? [])
        .map((part: Body) => part.text ?? "")
        .filter(Boolean)
        .join("\n");

/** The messages up to the model's first: they hold the prompt that a conversation began with. */
export function before(messages: readonly Body[], isSpoken: (message: Body) => boolean): readonly Body[] {
  const first = messages.findIndex(isSpoken);
  return first < 0 ? messages : messages.slice(0, first);
}
