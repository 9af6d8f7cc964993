/** `kedge serve` as a program of its own, and requests to it with nothing between them and the test. */
import type { ChildProcess } from "node:child_process";
import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { request as tlsRequest } from "node:https";
import { onTestFinished } from "vitest";
import { jsonLines, type Place } from "../cli/support.js";

/** Answers of tools. */
export interface Told {
  readonly status: number;
  readonly text: string;
  readonly isError: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: details of five tools, looked at by the tests.
  readonly details: any;
  readonly error: { readonly code: number; readonly message: string } | undefined;
}

export interface Raw {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Asked {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly token?: string;
}

const patience = 60_000;

export class Served {
  stdout = "";
  stderr = "";
  readonly exited: Promise<number | null>;
  private wake: () => void = () => {};

  /** Lines on stderr after the first, but for the one about the first recording. */
  get complaints(): string[] {
    const lines = this.stderr.trim().split("\n").slice(1);
    return lines.filter((line) => !/ on record on this machine/.test(line));
  }

  private constructor(readonly child: ChildProcess) {
    const hear = (stream: "stdout" | "stderr") => (piece: Buffer) => {
      this[stream] += piece.toString("utf8");
      this.wake();
    };
    child.stdout?.on("data", hear("stdout"));
    child.stderr?.on("data", hear("stderr"));
    this.exited = new Promise((resolve) => child.on("close", (code) => resolve(code)));
  }

  /** Started, and ended with the test. With a state folder of its own it is a server on another host. */
  static async start(
    place: Place,
    args: readonly string[] = [],
    http = "0",
    state?: string,
  ): Promise<Served> {
    const command = ["serve", "--http", http, "--root", place.folder, ...args];
    const served = new Served(place.start(command, state ? { env: { KEDGE_STATE: state } } : {}));
    onTestFinished(() => void served.child.kill("SIGKILL"));
    await served.until(() => served.stdout.includes("\n"));
    return served;
  }

  async until(isSo: () => boolean): Promise<void> {
    const end = Date.now() + patience;
    let hasExited = false;
    void this.exited.then(() => {
      hasExited = true;
      this.wake();
    });
    while (!isSo()) {
      if (hasExited || Date.now() > end) throw new Error(`the server said:\n${this.stdout}${this.stderr}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 100);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  get url(): string {
    return jsonLines<{ url: string }>(this.stdout)[0]?.url as string;
  }

  /** The lines of calls, as they were logged. */
  get calls(): Record<string, unknown>[] {
    return jsonLines(this.stdout).filter(({ event }) => event === undefined);
  }

  ask({ path = "/mcp", method, headers = {}, body, token }: Asked = {}): Promise<Raw> {
    const url = new URL(path, this.url);
    const given = {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...{ accept: "application/json, text/event-stream", ...headers },
    };
    const send = url.protocol === "https:" ? tlsRequest : httpRequest;
    return new Promise((resolve, reject) => {
      const options = { method: method ?? (body === undefined ? "GET" : "POST"), headers: given };
      const request = send(url, { ...options, agent: false, rejectUnauthorized: false }, (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part) => parts.push(part));
        response.on("error", reject);
        response.on("end", () =>
          resolve({
            ...{ status: response.statusCode ?? 0, headers: response.headers },
            body: Buffer.concat(parts).toString("utf8"),
          }),
        );
      });
      request.on("error", reject);
      request.end(body);
    });
  }

  async rpc(method: string, params: object, token?: string): Promise<Told> {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const { status, body: answer } = await this.ask({ body, ...(token ? { token } : {}) });
    const data = /^data: (\{.*)$/m.exec(answer)?.[1] ?? answer;
    const { result = {}, error } = JSON.parse(data);
    const text = (result.content ?? []).map((block: { text: string }) => block.text).join("");
    return {
      status,
      text,
      isError: result.isError === true,
      details: result._meta?.["kedge/details"],
      error,
    };
  }

  call(token: string | undefined, name: string, args: object): Promise<Told> {
    return this.rpc("tools/call", { name, arguments: args }, token);
  }

  async stop(): Promise<number | null> {
    this.child.kill("SIGTERM");
    return this.exited;
  }
}

/** Makes a token in the folder's own record. */
export async function token(place: Place, name: string, ...flags: string[]): Promise<string> {
  return (await place.before(["token", "add", name, ...flags])).split("\n")[0] as string;
}

export const anchor = ({ text }: Told, line: number): string =>
  text
    .split("\n")
    .find((row) => row.startsWith(`${line}#`))
    ?.split("|")[0] as string;
