import { describe, expect, it } from "vitest";
import { Session } from "../../src/session/session.js";
import { bench, on, outcome, path } from "../support/session.js";

const five = "a b c d e";

describe("who has seen it", () => {
  it("each agent for itself", async () => {
    const { session } = bench(five);
    await session.read({ path });
    const other = session.as("two");
    expect(outcome(await other.edit(on(five).set(3, "x")))).toBe("!not_read");
    expect(session.as("one")).toBe(session);
  });

  it("still, when the session is taken up again with the same store", async () => {
    const { session, files, store, words } = bench(five);
    await session.read({ path });
    const resumed = new Session({ files, store, agent: "one", clock: () => 0 });
    expect(outcome(await resumed.edit(on(five).set(3, "x")))).toBe("applied");
    expect(words()).toBe("a b x d e");
  });

  it("nobody, after a fold", async () => {
    const { session, words } = bench(five);
    await session.read({ path });
    const other = session.as("two");
    await other.read({ path });
    await session.fold();
    expect(outcome(await session.edit(on(five).set(3, "x")))).toBe("!not_read");
    expect(outcome(await other.edit(on(five).set(3, "y")))).toBe("applied");
    await session.read({ path });
    expect(outcome(await session.edit(on("a b y d e").set(3, "z")))).toBe("applied");
    expect(words()).toBe("a b z d e");
  });

  it("the same as before, if folds are to be kept", async () => {
    const { session } = bench(five, { keepOnFold: true });
    await session.read({ path });
    await session.fold();
    expect(outcome(await session.edit(on(five).set(3, "x")))).toBe("applied");
  });

  it("one file, whatever the case and the way its path is written", async () => {
    const { session, words } = bench({ "Src/A.ts": five }, { ignoreCase: true });
    await session.read({ path: "src/a.ts" });
    expect(outcome(await session.edit(on(five, "SRC/./x/../A.TS").set(3, "x")))).toBe("applied");
    expect(words("src/a.ts")).toBe("a b x d e");
  });

  it("two files, where case tells them apart", async () => {
    const { session } = bench({ "a.ts": five, "A.ts": five });
    await session.read({ path: "a.ts" });
    expect(outcome(await session.edit(on(five, "A.ts").set(3, "x")))).toBe("!not_read");
  });
});

describe("a file whose content is not kept", () => {
  it("is edited as shown, also after own edits, and not merged", async () => {
    const { session: plain, files, store, rudely, words } = bench("a b c d e f");
    const secret = async (file: string) => ({ ...(await files.identify(file)), keep: false });
    const session = new Session({
      files: { ...files, identify: secret },
      store,
      agent: "two",
      clock: () => 0,
    });
    await session.read({ path });
    expect(outcome(await session.edit(on("a b c d e f").set(2, "B")))).toBe("applied");
    expect(outcome(await session.edit(on("a b c d e f").set(5, "E")))).toBe("applied");
    rudely("a B c d E F");
    expect(outcome(await session.edit(on("a b c d e f").set(3, "C")))).toBe("!stale");
    expect(words()).toBe("a B c d E F");
    expect(plain.agent).toBe("one");
  });
});
