import { PassThrough, Writable } from "node:stream";
import { expect, test } from "vitest";
import { LineTransport } from "../../src/mcp/transport.js";

/** A client that takes nothing until it is told to. */
function stalled() {
  const waiting: (() => void)[] = [];
  const taken: string[] = [];
  let isReading = false;
  const output = new Writable({
    write(chunk, _, next) {
      taken.push(String(chunk));
      if (isReading) next();
      else waiting.push(next);
    },
  });
  const read = (): void => {
    isReading = true;
    for (const next of waiting.splice(0)) next();
  };
  return { output, read, taken };
}

const answer = (id: number, size: number) => ({
  jsonrpc: "2.0" as const,
  id,
  result: { x: "x".repeat(size) },
});

async function start(mostUnread: number) {
  const input = new PassThrough();
  const client = stalled();
  const transport = new LineTransport({ input, output: client.output, longest: 1000, mostUnread });
  const received: unknown[] = [];
  transport.onmessage = (message) => void received.push(message);
  await transport.start();
  const ask = (id: number): void => void input.write(`{"jsonrpc":"2.0","id":${id},"method":"x"}\n`);
  const settled = async (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));
  return { input, transport, received, ask, settled, ...client };
}

test("a client that does not read is asked for no more, until it reads", async () => {
  const { transport, received, ask, settled, read, taken } = await start(100_000);
  ask(1);
  await settled();
  const sent = Array.from({ length: 30 }, (_, id) => transport.send(answer(id, 10_000)));
  ask(2);
  await settled();
  expect(received).toHaveLength(1);
  read();
  await Promise.all(sent);
  await settled();
  expect(received).toHaveLength(2);
  expect(taken).toHaveLength(30);
});

test("what fits is waited for without a word, however many answers wait", async () => {
  const { transport, output, received, ask, settled, read } = await start(1_000_000);
  const sent = Array.from({ length: 50 }, (_, id) => transport.send(answer(id, 10_000)));
  ask(1);
  await settled();
  expect(received).toHaveLength(1);
  for (const name of ["drain", "close", "error"]) expect(output.listenerCount(name)).toBeLessThan(4);
  read();
  await Promise.all(sent);
  for (const name of ["drain", "close"]) expect(output.listenerCount(name)).toBe(0);
});

test("a client that leaves instead of reading ends the waiting", async () => {
  const { transport, output, input, settled } = await start(1000);
  const sent = Array.from({ length: 5 }, (_, id) => transport.send(answer(id, 100_000)));
  output.destroy(new Error("gone"));
  await Promise.all(sent);
  await transport.ended;
  await settled();
  expect(input.isPaused()).toBe(true);
});
