import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { Interrupt } from "../../src/cli/interrupt.js";
import { nodeFiles } from "../../src/workspace/files.js";

function interruptible(scratch = mkdtempSync(join(tmpdir(), "kedge-interrupt-"))) {
  onTestFinished(() => rmSync(scratch, { recursive: true, force: true }));
  const path = join(scratch, "a.ts");
  writeFileSync(path, "x\n");
  const exit = vi.fn();
  const interrupt = new Interrupt(exit);
  const state = join(scratch, "state");
  const files = interrupt.finishing(nodeFiles({ roots: [scratch], state, signal: interrupt }));
  return { scratch, path, exit, interrupt, files };
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test("an interruption waits for a change that has begun, and lets no other begin", async () => {
  const { path, exit, interrupt, files } = interruptible();
  const file = await files.identify("a.ts");
  const during: number[] = [];
  let arrival: Promise<void> | undefined;
  await files.hold([file], async (held) => {
    arrival = interrupt.arrive(130);
    during.push(exit.mock.calls.length);
    await held.commit([{ file, before: bytes("x\n"), after: bytes("y\n") }]);
    during.push(exit.mock.calls.length);
  });
  await arrival;
  expect(during).toEqual([0, 0]);
  expect(exit).toHaveBeenCalledExactlyOnceWith(130);
  expect(readFileSync(path, "utf8")).toBe("y\n");
  expect(interrupt.aborted).toBe(true);
  const later = vi.fn();
  await expect(files.hold([file], later)).rejects.toMatchObject({ name: "AbortError" });
  expect(later).not.toHaveBeenCalled();
});

test("an interruption does not wait for a lock that somebody else holds", async () => {
  const { scratch, files } = interruptible();
  const file = await files.identify("a.ts");
  const second = interruptible(scratch);
  let free = (): void => {};
  const held = new Promise<void>((begun) => {
    void files.hold([file], () => {
      begun();
      return new Promise<void>((resolve) => {
        free = resolve;
      });
    });
  });
  await held;
  const body = vi.fn(async () => {});
  const waiting = second.files.hold([file], body);
  await new Promise(setImmediate);
  await second.interrupt.arrive(130);
  expect(second.exit).toHaveBeenCalledExactlyOnceWith(130);
  expect(body).not.toHaveBeenCalled();
  free();
  await waiting;
});

test("an interruption comes between two files of many that are looked at", async () => {
  const { exit, interrupt, files } = interruptible();
  const file = await files.identify("a.ts");
  setImmediate(() => interrupt.arrive(143));
  const looking = (async () => {
    for (let count = 0; count < 1000; count++) await files.read(file);
  })();
  await expect(looking).rejects.toMatchObject({ name: "AbortError" });
  expect(exit).toHaveBeenCalledExactlyOnceWith(143);
});
