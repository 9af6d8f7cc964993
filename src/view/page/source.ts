/** The page's side of the server: the key, the stream, the questions and the actions. */
import type { ActionAnswer, Activity, EventDetails, EventPage, ViewMessage, ViewState } from "../contract.js";

const keyName = "kedge-key";

export class Unauthorised extends Error {
  constructor() {
    super("this page needs a new address: press Enter in the terminal where `kedge ui` runs");
  }
}

export class Source {
  private constructor(private readonly key: string) {}

  /** Takes the key that this tab has, or trades the code in the address for one. */
  static async open(): Promise<Source> {
    const code = location.hash.slice(1);
    if (code !== "") {
      history.replaceState(null, "", location.pathname);
      const answer = await fetch("api/key", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ code }),
      });
      if (answer.ok) sessionStorage.setItem(keyName, ((await answer.json()) as { key: string }).key);
    }
    const key = sessionStorage.getItem(keyName);
    if (key === null) throw new Unauthorised();
    return new Source(key);
  }

  private async ask(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { ...init.headers, authorization: `Bearer ${this.key}` };
    const answer = await fetch(path, { ...init, headers }).catch((error: Error) => {
      throw error.name === "AbortError" ? error : new Error("`kedge ui` does not answer");
    });
    if (answer.status === 401) {
      sessionStorage.removeItem(keyName);
      throw new Unauthorised();
    }
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
    return answer;
  }

  private async json<T>(path: string): Promise<T> {
    return (await (await this.ask(path)).json()) as T;
  }

  state(at?: number): Promise<ViewState> {
    return this.json(at === undefined ? "api/state" : `api/state?at=${at}`);
  }

  history(before: string | null): Promise<EventPage> {
    return this.json(before === null ? "api/history" : `api/history?before=${encodeURIComponent(before)}`);
  }

  historyAt(at: number): Promise<EventPage> {
    return this.json(`api/history?at=${at}`);
  }

  event(id: string): Promise<EventDetails> {
    return this.json(`api/event/${encodeURIComponent(id)}`);
  }

  activity(from: number): Promise<Activity> {
    return this.json(`api/activity?from=${from}`);
  }

  async act(name: "restore" | "undo", request: object): Promise<ActionAnswer> {
    const headers = { "content-type": "application/json" };
    const answer = await this.ask(`api/${name}`, { method: "POST", headers, body: JSON.stringify(request) });
    return (await answer.json()) as ActionAnswer;
  }

  /** Passes on what the stream carries until it ends. */
  async listen(heard: (message: ViewMessage) => void, signal: AbortSignal): Promise<void> {
    const answer = await this.ask("api/events", { signal });
    const reader = answer.body?.getReader();
    const decoder = new TextDecoder();
    let text = "";
    while (reader) {
      const { done, value } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
      const parts = text.split("\n\n");
      text = parts.pop() ?? "";
      for (const part of parts) {
        const data = part.split("\n").filter((line) => line.startsWith("data: "));
        if (data.length > 0) heard(JSON.parse(data.map((line) => line.slice(6)).join("\n")) as ViewMessage);
      }
    }
  }
}
