/** Clients that are slow, many, or gone: on the server itself, with times that a test can wait for. */
import { connect, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { describe, expect, onTestFinished, test } from "vitest";
import { type LedgerStore, memoryFiles, memoryStore } from "../../src/ports/index.js";
import {
  addressIn,
  isLoopback,
  type Listening,
  listen,
  type Protocol,
  ToolServer,
} from "../../src/serve/index.js";

interface Setting {
  readonly answer?: Protocol<null>["answer"];
  readonly store?: LedgerStore;
  readonly times?: ConstructorParameters<typeof ToolServer>[0]["times"];
  readonly timeouts?: Parameters<typeof listen>[0]["timeouts"];
}

async function start({
  answer = async () => Response.json({ ok: true }),
  store = memoryStore(),
  ...rest
}: Setting = {}) {
  const { times, timeouts } = rest;
  const reported: string[] = [];
  const server = new ToolServer<null>({
    ...{ protocol: { caller: () => null, answer, close: async () => {} }, store },
    ...{ files: () => memoryFiles(), policies: {}, version: "1", names: { given: [] }, isOpen: true },
    ...{ callsAMinute: 1e9, own: [], log: () => {}, report: (line) => void reported.push(line) },
    ...(times ? { times } : {}),
  });
  const port = await listen(
    { host: "127.0.0.1", port: 0, ...(timeouts ? { timeouts } : {}) },
    (request, response) => server.answer(request, response),
  );
  onTestFinished(() => {
    port.stop();
    port.close();
  });
  return { server, port, reported };
}

const post = ({ port }: Listening, body = "{}") =>
  fetch(`http://127.0.0.1:${port}/mcp`, {
    method: "POST",
    body,
    headers: { "content-type": "application/json" },
  });

/** A connection, and what came on it until it was closed. */
function open({ port }: Listening, text: string): { socket: Socket; closed: Promise<string> } {
  const socket = connect(port, "127.0.0.1", () => socket.write(text));
  let heard = "";
  socket.on("data", (part) => {
    heard += part.toString("latin1");
  });
  socket.on("error", () => {});
  onTestFinished(() => void socket.destroy());
  return { socket, closed: new Promise((resolve) => socket.on("close", () => resolve(heard))) };
}

const short = { headersTimeout: 300, requestTimeout: 600, connectionsCheckingInterval: 50 };
const head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n";

describe("a slow client", () => {
  test.each([
    ["that says nothing", ""],
    ["whose headers do not end", "POST /mcp HTTP/1.1\r\nhost: loc"],
    ["whose body does not come", `${head}content-length: 100\r\n\r\n{`],
  ])("%s is cut off", async (_, text) => {
    const { port } = await start({ timeouts: short });
    expect(await open(port, text).closed).toMatch(/^HTTP\/1\.1 408/);
    // On a busy machine this one may be too slow for such times as well.
    await expect.poll(async () => (await post(port)).status, { timeout: 20_000 }).toBe(200);
  });

  test("that never reads its answer is cut off, and what is made for it ends", async () => {
    let made = 0;
    let isCancelled = false;
    const endless = () =>
      new ReadableStream<Uint8Array>({
        pull: (controller) => {
          made += 1;
          controller.enqueue(new Uint8Array(1 << 20));
        },
        cancel: () => {
          isCancelled = true;
        },
      });
    const { port } = await start({ answer: async () => new Response(endless()), times: { patience: 300 } });
    const { socket, closed } = open(port, `${head}content-length: 2\r\n\r\n{}`);
    socket.pause();
    await expect.poll(() => isCancelled, { timeout: 20_000 }).toBe(true);
    expect(made).toBeLessThan(100);
    socket.resume();
    await closed;
    expect((await fetch(`http://127.0.0.1:${port.port}/healthz`)).status).toBe(200);
  });

  test("that leaves in the middle of its call has it cancelled", async () => {
    let signal: AbortSignal | undefined;
    const { port, reported } = await start({
      answer: (request) => {
        signal = request.signal;
        return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(new Error("left"))));
      },
    });
    const { socket } = open(port, `${head}content-length: 2\r\n\r\n{}`);
    await expect.poll(() => signal !== undefined).toBe(true);
    socket.destroy();
    await expect.poll(() => signal?.aborted).toBe(true);
    expect(reported).toEqual([]);
  });
});

test("1,000 idle connections are in nobody's way", async () => {
  const { port } = await start();
  const idle = Array.from({ length: 1000 }, () => open(port, "").socket);
  await Promise.all(idle.map((socket) => new Promise((resolve) => socket.once("connect", resolve))));
  await expect.poll(() => port.connections(), { timeout: 20_000 }).toBeGreaterThanOrEqual(1000);
  expect((await post(port)).status).toBe(200);
});

test("a server that ends answers what is under way, refuses what comes, and closes", async () => {
  let release = (_: Response): void => {};
  const { server, port } = await start({ answer: () => new Promise((resolve) => (release = resolve)) });
  const kept = connect(port.port, "127.0.0.1");
  onTestFinished(() => void kept.destroy());
  let heard = "";
  kept.on("data", (part) => {
    heard += part.toString();
  });
  kept.write("GET /readyz HTTP/1.1\r\nhost: localhost\r\n\r\n");
  await expect.poll(() => heard).toContain("ok");
  const under = post(port);
  await expect.poll(() => release.length).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 50));
  let hasEnded = false;
  const ended = server.end().then(() => {
    hasEnded = true;
  });
  heard = "";
  kept.write("GET /readyz HTTP/1.1\r\nhost: localhost\r\n\r\n");
  await expect
    .poll(() => heard)
    .toMatch(/^HTTP\/1\.1 503[\s\S]*connection: close[\s\S]*the server is ending/i);
  expect((await post(port)).status).toBe(503);
  expect(hasEnded).toBe(false);
  release(Response.json({ late: true }));
  expect(await (await under).json()).toEqual({ late: true });
  await ended;
});

test("a server that ends does not wait for a call without end", async () => {
  const { server, port } = await start({ answer: () => new Promise(() => {}), times: { grace: 100 } });
  void post(port).catch(() => {});
  await expect.poll(() => port.connections()).toBeGreaterThan(0);
  await new Promise((resolve) => setTimeout(resolve, 50));
  await server.end();
});

test("a store that does not answer makes the server not ready, and it says so in time", async () => {
  const store = { ...memoryStore(), record: () => new Promise<never>(() => {}) };
  const { port } = await start({ times: { reach: 50 }, store });
  const ready = await fetch(`http://127.0.0.1:${port.port}/readyz`);
  expect([ready.status, await ready.text()]).toEqual([503, "the store cannot be reached\n"]);
  expect((await fetch(`http://127.0.0.1:${port.port}/healthz`)).status).toBe(200);
});

const isIpv6 = networkInterfaces().lo?.some(({ address }) => address === "::1") ?? false;
test.skipIf(!isIpv6)("IPv6: it listens, says so in brackets, and answers", async () => {
  const { server } = await start();
  const port = await listen({ host: "::1", port: 0 }, (...asked) => server.answer(...asked));
  onTestFinished(() => {
    port.stop();
    port.close();
  });
  expect(port.url).toBe(`http://[::1]:${port.port}/mcp`);
  expect((await fetch(port.url, { method: "POST", body: "{}" })).status).toBe(200);
  const named = await fetch(port.url.replace("/mcp", "/healthz"));
  expect([named.status, await named.text()]).toEqual([200, "ok\n"]);
});

test.each([
  ["8080", { host: "127.0.0.1", port: 8080 }],
  ["0.0.0.0:0", { host: "0.0.0.0", port: 0 }],
  ["[::1]:80", { host: "::1", port: 80 }],
  ["localhost:80", { host: "localhost", port: 80 }],
  ["::1:80", null],
  ["localhost", null],
  ["x:65536", null],
  ["x:-1", null],
  ["http://x:1", null],
  ["", null],
])("%j is where to listen: %j", (text, address) => {
  expect(addressIn(text)).toEqual(address);
});

test.each([
  ["127.0.0.1", true],
  ["127.9.9.9", true],
  ["::1", true],
  ["localhost", true],
  ["0.0.0.0", false],
  ["::", false],
  ["10.0.0.1", false],
])("%s is this machine alone: %j", async (host, expected) => {
  expect(await isLoopback(host)).toBe(expected);
});
