import { request } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { startViewServer, type ViewServer } from "../../src/view/server.js";
import { sample } from "./sample.js";

const { state, events } = sample({ time: 1_000_000 });
let time = 0;
let server: ViewServer | null = null;

async function started(actions = true): Promise<ViewServer> {
  server = await startViewServer({
    ...{ port: 0, clock: () => time, report: () => {} },
    assets: new Map([["/", { type: "text/html", bytes: new TextEncoder().encode("<!doctype html>") }]]),
    source: {
      state: async (at) => (at === undefined ? state : { ...state, time: at }),
      news: async () => ({ events: [], mark: "m" }),
      history: async () => ({ events, next: null }),
      event: async (id) =>
        id === "e1"
          ? { event: events[1] as (typeof events)[0], diff: "+a", reason: null, because: null }
          : null,
      activity: async (from) => ({ from, to: from, slices: [] }),
    },
    actions: actions
      ? {
          restore: async ({ ids, dryRun }) => ({ ok: true, text: `${dryRun} ${ids}`, diff: "", paths: [] }),
          undo: async () => {
            throw new Error("secret text of a file");
          },
        }
      : null,
  });
  return server;
}

afterEach(async () => {
  await server?.close();
  server = null;
});

interface Asked {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** By `http`, since `fetch` sends no Host or Origin of one's own. */
function ask(
  path: string,
  { method = "GET", headers = {}, body }: Asked = {},
): Promise<{ status: number; text: string }> {
  const port = server?.port as number;
  return new Promise((done, fail) => {
    const sent = request({ host: "127.0.0.1", port, path, method, headers }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("end", () =>
        done({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString() }),
      );
    });
    sent.on("error", fail);
    sent.end(body);
  });
}

const json = { "content-type": "application/json" };
const codeOf = ({ newAddress }: ViewServer): string => new URL(newAddress()).hash.slice(1);

async function keyOf(running: ViewServer): Promise<Record<string, string>> {
  const answer = await ask("/api/key", {
    method: "POST",
    headers: json,
    body: JSON.stringify({ code: codeOf(running) }),
  });
  return { authorization: `Bearer ${JSON.parse(answer.text).key}` };
}

describe("the page's server", () => {
  test("gives the page without a key, and no data", async () => {
    await started();
    expect(await ask("/")).toMatchObject({ status: 200, text: "<!doctype html>" });
    for (const path of ["/api/state", "/api/history", "/api/event/e1", "/api/events", "/api/activity?from=0"])
      expect(await ask(path), path).toMatchObject({ status: 401 });
    expect(await ask("/api/restore", { method: "POST", headers: json, body: '{"ids":["a"]}' })).toMatchObject(
      { status: 401 },
    );
  });

  test("trades a code for a key once, within a minute", async () => {
    const running = await started();
    const trade = (code: string) =>
      ask("/api/key", { method: "POST", headers: json, body: JSON.stringify({ code }) });
    const code = codeOf(running);
    expect((await trade(code)).status).toBe(200);
    expect((await trade(code)).status).toBe(401);
    const late = codeOf(running);
    time += 60_001;
    expect((await trade(late)).status).toBe(401);
    expect((await trade("")).status).toBe(401);
  });

  test("answers with a key", async () => {
    const headers = await keyOf(await started());
    expect(JSON.parse((await ask("/api/state", { headers })).text)).toEqual(
      JSON.parse(JSON.stringify(state)),
    );
    expect(JSON.parse((await ask("/api/state?at=5", { headers })).text).time).toBe(5);
    for (const id of ["nothing", "%", "..%2f", "a/b"])
      expect((await ask(`/api/event/${id}`, { headers })).status).toBe(404);
    expect(JSON.parse((await ask("/api/event/e1", { headers })).text).diff).toBe("+a");
  });

  test("answers to its own address and its own page alone", async () => {
    const running = await started();
    const headers = await keyOf(running);
    const own = `127.0.0.1:${running.port}`;
    for (const host of [
      "localhost",
      `localhost:${running.port}`,
      "127.0.0.1",
      "evil.example",
      `${own}.evil.example`,
    ])
      expect((await ask("/api/state", { headers: { ...headers, host } })).status, host).toBe(421);
    for (const origin of [
      "null",
      "http://evil.example",
      `http://localhost:${running.port}`,
      `https://${own}`,
    ])
      expect((await ask("/api/state", { headers: { ...headers, origin } })).status, origin).toBe(403);
    expect((await ask("/api/state", { headers: { ...headers, origin: `http://${own}` } })).status).toBe(200);
  });

  test("acts on JSON with a key alone, and shows no message of an error", async () => {
    const headers = await keyOf(await started());
    const act = (path: string, body: string, more = json) =>
      ask(path, { method: "POST", headers: { ...headers, ...more }, body });
    expect(JSON.parse((await act("/api/restore", '{"ids":["a","b"],"dryRun":true}')).text).text).toBe(
      "true a,b",
    );
    expect((await act("/api/restore", '{"ids":[]}')).status).toBe(400);
    expect((await act("/api/restore", "[")).status).toBe(400);
    expect((await act("/api/restore", '{"ids":["a"]}', { "content-type": "text/plain" })).status).toBe(415);
    expect((await act("/api/restore", JSON.stringify({ ids: ["a".repeat(70_000)] }))).status).toBe(413);
    expect((await act("/api/purge", '{"ids":["a"]}')).status).toBe(404);
    const failed = await act("/api/undo", '{"ids":["a"]}');
    expect(failed).toMatchObject({ status: 500 });
    expect(failed.text).not.toContain("secret");
  });

  test("acts on nothing where the files are not here", async () => {
    const headers = await keyOf(await started(false));
    const answer = await ask("/api/restore", {
      method: "POST",
      headers: { ...headers, ...json },
      body: '{"ids":["a"]}',
    });
    expect(answer.status).toBe(403);
  });

  test("streams the state at once", async () => {
    const running = await started();
    const { authorization } = (await keyOf(running)) as { authorization: string };
    const ending = new AbortController();
    const answer = await fetch(`http://127.0.0.1:${running.port}/api/events`, {
      headers: { authorization },
      signal: ending.signal,
    });
    const reader = answer.body?.getReader();
    const first = new TextDecoder().decode((await reader?.read())?.value);
    expect(JSON.parse(/^data: (.*)$/m.exec(first)?.[1] ?? "")).toMatchObject({
      type: "state",
      state: { repository: "harbour" },
    });
    ending.abort();
  });
});
