import type { ServerResponse } from "node:http";

/** Bytes that a client takes in one go, in `patience` at the latest. */
const portion = 64 * 1024;

/** Sends an answer of the protocol. A client that does not read it for so many milliseconds is cut off. */
export async function deliver(answer: Response, response: ServerResponse, patience: number): Promise<void> {
  response.writeHead(answer.status, { ...Object.fromEntries(answer.headers), ...plainAnswer });
  const reader = answer.body?.getReader();
  try {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true };
      if (done || !value) break;
      for (let at = 0; at < value.length; at += portion) {
        if (response.destroyed) throw new Error("the client has left");
        if (!response.write(value.subarray(at, at + portion))) await soon(response, "drain", patience);
      }
    }
    response.end();
    if (!response.writableFinished) await soon(response, "finish", patience);
  } catch {
    await reader?.cancel().catch(() => {});
    response.destroy();
  }
}

/** No answer is kept, or taken for something else than it says. */
export const plainAnswer = { "cache-control": "no-store", "x-content-type-options": "nosniff" } as const;

function soon(response: ServerResponse, event: "drain" | "finish", patience: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (end: () => void) => () => {
      clearTimeout(timer);
      response.off(event, arrived);
      response.off("close", left);
      end();
    };
    const arrived = settle(resolve);
    const left = settle(() => reject(new Error("the client has left")));
    const timer = setTimeout(
      settle(() => reject(new Error("the client does not read"))),
      patience,
    );
    response.on(event, arrived);
    response.on("close", left);
  });
}
