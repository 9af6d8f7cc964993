import { reason, ticks } from "../../host/index.js";
import { PortError } from "../../ports/index.js";
import { migrate, newerSchema, steps } from "../schema/migrate.js";
import { type Connections, connect, type Row } from "./connection.js";
import { hidden } from "./hidden.js";

export interface DatabaseOptions {
  readonly url: string;
  /** Connections at most. */
  readonly most?: number;
  /** Milliseconds that one statement may take, and that a call goes on trying. */
  readonly patience?: number;
  /** Counts round trips. */
  readonly onTrip?: (text: string) => void;
}

/** Milliseconds. */
const usualPatience = 5_000;
const firstPause = 25;
const longestPause = 500;

/** SQLSTATEs of what is not there yet, or is an older one. */
const unmade = new Set(["42883", "3F000", "42P01"]);
/** Those of what a person has to put right: trying again changes nothing. */
const lasting = /^(28|3D|42|0A|22|23|XX)/;
const newer = "KG001";

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "its host has no address",
  EAI_AGAIN: "its host has no address just now",
  ECONNRESET: "the connection was cut",
  EPIPE: "the connection was cut",
  ETIMEDOUT: "it does not answer",
  "53100": "its disk is full",
  "53300": "it has no connection left",
  "57P01": "it is being shut down",
  "57P03": "it is starting or stopping",
  "25006": "it takes no writes: it is a standby",
  "55P03": "somebody there holds what is needed",
};

/** The database behind a store: whatever goes wrong with it for a time is a refusal, `busy`, with its cause. */
export class Database {
  private opening: Promise<Connections> | null = null;
  private migrating: Promise<void> | null = null;

  constructor(private readonly options: DatabaseOptions) {}

  get patience(): number {
    return this.options.patience ?? usualPatience;
  }

  /** Asks one question. `again` is told to a function that must not do a thing twice. */
  async ask(
    text: string,
    values: readonly unknown[] | ((again: boolean) => readonly unknown[]),
    patience = this.patience,
  ): Promise<readonly Row[]> {
    const deadline = ticks() + patience;
    let pause = firstPause;
    for (let attempt = 1; ; attempt++) {
      try {
        const connections = await this.open();
        this.options.onTrip?.(text);
        return await connections.query(text, typeof values === "function" ? values(attempt > 1) : values);
      } catch (error) {
        const code = stateOf(error);
        if (unmade.has(code) && attempt === 1) {
          await this.migrated();
          continue;
        }
        if (isLasting(error) || ticks() + pause > deadline) throw this.refusal(error);
      }
      await new Promise((resolve) => setTimeout(resolve, pause * (0.5 + Math.random() / 2)));
      pause = Math.min(longestPause, pause * 2);
    }
  }

  /** Makes the schema what this version needs. */
  async migrated(): Promise<void> {
    this.migrating ??= this.open()
      .then((connections) => connections.alone((connection) => migrate(connection)))
      .finally(() => {
        this.migrating = null;
      });
    try {
      await this.migrating;
    } catch (error) {
      throw this.refusal(error);
    }
  }

  async end(): Promise<void> {
    await (await this.opening?.catch(() => null))?.end();
    this.opening = null;
  }

  private open(): Promise<Connections> {
    const { url, most = 10 } = this.options;
    this.opening ??= connect({ url, most, patience: this.patience });
    return this.opening;
  }

  private refusal(error: unknown): PortError {
    if (error instanceof PortError) return error;
    const code = stateOf(error);
    if (code === newer) return newerSchema(Number((error as Error).message), steps.length);
    const which = `the store ${hidden(this.options.url)}`;
    const cause = causeOf(error);
    if (isLasting(error)) return new PortError("io", `${which} refuses: ${cause}`, { cause: error });
    return new PortError("busy", `${which} cannot be reached: ${cause}; try again`, { cause: error });
  }
}

function stateOf(error: unknown): string {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === "string" ? code : "";
}

function isLasting(error: unknown): boolean {
  if (error instanceof PortError) return error.code !== "busy";
  const code = stateOf(error);
  return code === newer || (/^[0-9A-Z]{5}$/.test(code) && !(code in words) && lasting.test(code));
}

/** In one line, and without what the driver knows of the address. */
function causeOf(error: unknown): string {
  const code = stateOf(error);
  if (words[code]) return `${words[code]} (${code})`;
  const said = error instanceof Error ? error.message : "";
  if (/^Connection (terminated|ended)/.test(said)) return "the connection was cut";
  if (/timeout/i.test(said) && code === "") return "it does not answer";
  const first = error instanceof AggregateError ? error.errors[0] : null;
  if (first) return causeOf(first);
  return reason(error).split("\n")[0] ?? "";
}
