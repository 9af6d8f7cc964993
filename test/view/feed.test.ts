import { expect, test } from "vitest";
import type { ViewMessage } from "../../src/view/contract.js";
import { Feed } from "../../src/view/feed.js";
import { sample } from "./sample.js";

const { state, events } = sample();

test("a feed sends the state once while nothing changes, each new event once, and stops when nobody listens", async () => {
  const heard: ViewMessage[] = [];
  let looks = 0;
  const feed = new Feed(
    {
      news: async (mark) => {
        looks += 1;
        const at = mark === null ? 0 : Number(mark);
        return { events: at === 1 ? events.slice(0, 1) : [], mark: String(Math.min(at + 1, 4)) };
      },
      state: async () => ({ ...state, time: looks }),
    },
    1,
  );
  await new Promise<void>((done) => {
    const stop = feed.listen((message) => {
      heard.push(message);
      if (looks === 2)
        setTimeout(() => {
          stop();
          done();
        }, 20);
    });
  });
  expect(heard.map(({ type }) => type)).toEqual(["state", "event"]);
  const before = looks;
  expect(before).toBeGreaterThan(2);
  await new Promise((done) => setTimeout(done, 20));
  expect(looks - before).toBeLessThan(2);
});
