import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isMixture } from "../../src/disk/batch-recovery.js";
import type { Edit } from "../../src/edits/index.js";
import { type Io, nodeIo } from "../../src/host/index.js";
import { memoryStore } from "../../src/ports/index.js";
import { Session } from "../../src/session/session.js";
import { Document } from "../../src/text/document.js";
import { faultyIo } from "../support/faulty.js";
import { commit, newGround, text, utf8, withMeasured } from "../support/node.js";

const isRoot = process.getuid?.() === 0;
const mode = (path: string): number => statSync(path).mode & 0o7777;

describe("what a commit keeps", () => {
  test.each([0o644, 0o600, 0o755, 0o664, 0o444])("mode %o", async (bits) => {
    const at = newGround();
    const path = at.put("a.sh", "old");
    chmodSync(path, bits);
    const done = commit(at.files(), { "a.sh": "new" });
    // Root may write what is marked as read-only, others are told so.
    if (bits === 0o444 && !isRoot) await expect(done).rejects.toMatchObject({ code: "io" });
    else expect(await done).toBe(true);
    expect(mode(path)).toBe(bits);
  });

  test.runIf(isRoot)("owner and group", async () => {
    const at = newGround();
    const path = at.put("a.txt", "old");
    chownSync(path, 1234, 2345);
    expect(await commit(at.files(), { "a.txt": "new" })).toBe(true);
    expect(statSync(path)).toMatchObject({ uid: 1234, gid: 2345 });
  });

  const noOwners = () =>
    faultyIo({ at: 1, error: "EPERM", forGood: true, only: (call) => call.startsWith("chown") }).io;

  test.runIf(isRoot)("where a new file cannot have the owner, the old one is written in place", async () => {
    const at = newGround();
    const path = at.put("a.txt", "old");
    chownSync(path, 1234, 2345);
    chmodSync(path, 0o4755);
    const { ino } = statSync(path);
    for (const changes of [{ "a.txt": "new" }, { "a.txt": "newer", "b.txt": "new" }]) {
      expect(await commit(at.files({ io: noOwners() }), changes)).toBe(true);
      expect(at.tree()).toEqual(changes);
      expect(statSync(path)).toMatchObject({ ino, uid: 1234, gid: 2345 });
      expect(mode(path)).toBe(0o4755);
    }
  });

  test.runIf(isRoot)(
    "moved, where it cannot have the owner: it does not act with the rights of a new one, nor is another group let in",
    async () => {
      const at = newGround();
      const path = at.put("a.txt", "old");
      chownSync(path, 1234, 2345);
      chmodSync(path, 0o6774);
      expect(await commit(at.files({ io: noOwners() }), { "a.txt": null, "b.txt": "old" })).toBe(true);
      expect(mode(join(at.root, "b.txt"))).toBe(0o744);
    },
  );

  test("links: the target is written, the link stays", async () => {
    const at = newGround();
    at.put("sub/real.txt", "old");
    symlinkSync("sub/real.txt", join(at.root, "link.txt"));
    symlinkSync("link.txt", join(at.root, "twice.txt"));
    expect(await commit(at.files(), { "twice.txt": "new" })).toBe(true);
    expect(readlinkSync(join(at.root, "twice.txt"))).toBe("link.txt");
    expect(readlinkSync(join(at.root, "link.txt"))).toBe("sub/real.txt");
    expect(at.get("sub/real.txt")).toBe("new");
  });

  test("a link to a file that does not exist yet: the target is made", async () => {
    const at = newGround();
    mkdirSync(join(at.root, "sub"));
    symlinkSync("sub/../sub/later.txt", join(at.root, "link.txt"));
    expect(await commit(at.files(), { "link.txt": "new" })).toBe(true);
    expect(lstatSync(join(at.root, "link.txt")).isSymbolicLink()).toBe(true);
    expect(at.get("sub/later.txt")).toBe("new");
  });

  test.each(["longer than before\n", "s", ""])("hard links: %j is seen under every name", async (content) => {
    const at = newGround();
    const path = at.put("a.txt", "old content");
    linkSync(path, join(at.root, "b.txt"));
    chmodSync(path, 0o640);
    const { ino } = statSync(path);
    expect(await commit(at.files(), { "a.txt": content })).toBe(true);
    expect(at.tree()).toEqual({ "a.txt": content, "b.txt": content });
    expect(statSync(path)).toMatchObject({ ino, nlink: 2 });
    expect(mode(path)).toBe(0o640);
  });

  test("two names of one file in one batch are refused, and said to be one", async () => {
    const at = newGround();
    linkSync(at.put("a.txt", "one\n"), join(at.root, "b.txt"));
    const files = at.files({ report: (line) => expect.unreachable(line) });
    for (const [a, b] of [
      ["new a\n", "new b\n"],
      ["new a\n", null],
      [null, null],
    ] as const) {
      await expect(commit(files, { "a.txt": a, "b.txt": b })).rejects.toMatchObject({
        code: "bad_request",
        message: "a.txt and b.txt are names of one file (hard links): name one of them in a call",
      });
      expect(at.tree()).toEqual({ "a.txt": "one\n", "b.txt": "one\n" });
    }
  });

  test("two names of one file are not written at the same time", async () => {
    const at = newGround();
    linkSync(at.put("a.txt", "0"), join(at.root, "b.txt"));
    const files = at.files();
    const add = async (path: string): Promise<void> => {
      for (let done = false; !done; ) {
        const file = await files.identify(path);
        done = await files.hold([file], async (held) => {
          const before = await held.read(file);
          return held.commit([{ file, before, after: utf8(String(Number(text(before)) + 1)) }]);
        });
      }
    };
    await Promise.all(Array.from({ length: 20 }, (_, index) => add(index % 2 ? "a.txt" : "b.txt")));
    expect(at.tree()).toEqual({ "a.txt": "20", "b.txt": "20" });
  });

  test("a file that cannot be renamed over, as one that is mounted by itself, is written in place", async () => {
    const at = newGround();
    const path = at.put("a.txt", "old");
    const { ino } = statSync(path);
    const only = (call: string, args: readonly unknown[]): boolean =>
      call.startsWith("rename") && String(args[1]).endsWith("a.txt");
    const { io } = faultyIo({ at: 1, error: "EBUSY", forGood: true, only });
    expect(await commit(at.files({ io }), { "a.txt": "new" })).toBe(true);
    expect(at.tree()).toEqual({ "a.txt": "new" });
    expect(statSync(path).ino).toBe(ino);
  });

  test("a moved file keeps its mode", async () => {
    const at = newGround();
    chmodSync(at.put("old.sh", "#!/bin/sh\n"), 0o750);
    expect(await commit(at.files(), { "old.sh": null, "bin/new.sh": "#!/bin/sh\n" })).toBe(true);
    expect(at.tree()).toEqual({ "bin/new.sh": "#!/bin/sh\n" });
    expect(mode(join(at.root, "bin/new.sh"))).toBe(0o750);
  });

  test("holds if the file is edited on the way, and moved back by undo", async () => {
    const at = newGround();
    chmodSync(at.put("old.sh", "#!/bin/sh\necho 1\n"), 0o750);
    const session = new Session({ files: at.files(), store: memoryStore(), agent: "one", clock: Date.now });
    await session.read({ path: "old.sh" });
    const edits: Edit[] = [
      { op: "move_file", to: "bin/new.sh" },
      { op: "replace_text", old: "1", new: "2" },
    ];
    await session.multiEdit({ files: [{ path: "old.sh", edits }] });
    expect(at.tree()).toEqual({ "bin/new.sh": "#!/bin/sh\necho 2\n" });
    expect(mode(join(at.root, "bin/new.sh"))).toBe(0o750);
    await session.undo({});
    expect(at.tree()).toEqual({ "old.sh": "#!/bin/sh\necho 1\n" });
    expect(mode(join(at.root, "old.sh"))).toBe(0o750);
  });

  test.each([
    ["a missing final newline", [0x61, 0x0a, 0x62]],
    ["CRLF and LF, mixed", [0x61, 0x0d, 0x0a, 0x62, 0x0a, 0x63]],
    ["a byte order mark", [0xef, 0xbb, 0xbf, 0x61, 0x0a]],
    ["bytes that are no text", [0xff, 0x0a, 0x00, 0x0a, 0x80]],
  ])("%s, through an edit of a line elsewhere", async (_, bytes) => {
    const at = newGround();
    at.put("a.txt", Uint8Array.from([...bytes, 0x0a, 0x65, 0x0a]));
    const files = at.files();
    const file = await files.identify("a.txt");
    await files.hold([file], async (held) => {
      const before = await held.read(file);
      const document = Document.parse(before ?? new Uint8Array(0));
      const edited = document.splice([
        { start: document.lineCount - 1, end: document.lineCount, lines: ["f"] },
      ]);
      if ("unencodable" in edited) throw new Error("unencodable");
      expect(await held.commit([{ file, before, after: edited.toBytes() }])).toBe(true);
    });
    expect([...((await files.read(file)) ?? [])]).toEqual([...bytes, 0x0a, 0x66, 0x0a]);
  });
});

test.each([
  ["a million lines", "line\n".repeat(1_000_000)],
  ["one line of ten million characters", "x".repeat(10_000_000)],
])("a file of %s is written, and written again", async (_, content) => {
  const at = newGround();
  const files = at.files();
  expect(await commit(files, { "a.txt": content })).toBe(true);
  expect(await commit(files, { "a.txt": `${content}!` })).toBe(true);
  expect(at.get("a.txt")?.length).toBe(content.length + 1);
});

describe("what a commit refuses, with nothing changed", () => {
  test("a file that may not be written", async () => {
    const at = newGround();
    at.put("a.txt", "old");
    const { io } = faultyIo({
      at: 1,
      error: "EACCES",
      forGood: true,
      only: (call) => call.startsWith("access"),
    });
    const refused = commit(at.files({ io }), { "a.txt": "new" });
    await expect(refused).rejects.toMatchObject({
      code: "io",
      message: "cannot write a.txt: this user has no permission to write to it (EACCES); give it first",
    });
    expect(at.tree()).toEqual({ "a.txt": "old" });
  });

  test.runIf(!isRoot)("a folder that is read-only", async () => {
    const at = newGround();
    at.put("sub/a.txt", "old");
    chmodSync(join(at.root, "sub"), 0o555);
    await expect(commit(at.files(), { "sub/a.txt": "new" })).rejects.toMatchObject({ code: "io" });
    chmodSync(join(at.root, "sub"), 0o755);
    expect(at.tree()).toEqual({ "sub/a.txt": "old" });
  });

  test("a folder, a file in a file's place, a pipe", async () => {
    const at = newGround();
    at.put("folder/a.txt", "old");
    const files = at.files();
    await expect(commit(files, { folder: "new" })).rejects.toMatchObject({ code: "io" });
    const message = "folder is a folder; name a file in it";
    await expect(files.read(await files.identify("folder"))).rejects.toMatchObject({ code: "io", message });
    await expect(commit(files, { "folder/a.txt/b.txt": "new" })).rejects.toMatchObject({ code: "io" });
    const { execFileSync } = await import("node:child_process");
    execFileSync("mkfifo", [join(at.root, "pipe")]);
    await expect(files.read(await files.identify("pipe"))).rejects.toMatchObject({ code: "io" });
    expect(at.tree()).toEqual({ "folder/a.txt": "old" });
  });

  test("more than the limit: measured, deleted and moved, if it is what was measured", async () => {
    const at = newGround();
    at.put("a.txt", "x".repeat(300_000));
    at.put("b.txt", "x".repeat(300_000));
    const files = at.files({ limits: { size: 100 } });
    const [a, b, none] = await Promise.all(["a.txt", "b.txt", "none"].map((path) => files.identify(path)));
    if (!a || !b || !none) throw new Error("not identified");
    await files.hold([a, b, none], async (held) => {
      const measure = (await held.measure?.(a)) ?? null;
      expect(measure?.size).toBe(300_000);
      expect(await held.measure?.(b)).toEqual(measure);
      expect(await held.measure?.(none)).toBeNull();
      at.put("a.txt", `${"x".repeat(299_999)}y`);
      expect(await held.measure?.(a)).not.toEqual(measure);
      const gone = { file: a, before: measure, after: null };
      expect(await held.commit([gone])).toBe(false);
      const moved = held.commit([{ file: none, before: null, after: measure, from: a }, gone]);
      await expect(moved).rejects.toMatchObject({ code: "busy" });
      expect(Object.keys(at.tree())).toEqual(["a.txt", "b.txt"]);
    });
    expect(await withMeasured(files, "a.txt")).toBe(true);
    expect(await withMeasured(files, "b.txt", "c/d.txt")).toBe(true);
    expect(at.tree()).toEqual({ "c/d.txt": "x".repeat(300_000) });
  });

  test("more than the limit, read or written, naming it", async () => {
    const at = newGround();
    at.put("a.txt", "x".repeat(101));
    const files = at.files({ limits: { size: 100 } });
    const message = "a.txt has 101 bytes; the limit is 100 (limits.size)";
    await expect(files.read(await files.identify("a.txt"))).rejects.toMatchObject({
      code: "too_large",
      message,
    });
    await expect(commit(files, { "b.txt": "x".repeat(101) })).rejects.toMatchObject({ code: "too_large" });
    expect(await commit(files, { "b.txt": "x".repeat(100) })).toBe(true);
  });

  test("files that are not held, or named twice", async () => {
    const at = newGround();
    const files = at.files();
    const [a, b] = [await files.identify("a.txt"), await files.identify("b.txt")];
    const write = { file: b, before: null, after: utf8("b") };
    await expect(files.hold([a], (held) => held.commit([write]))).rejects.toThrow("not held");
    await expect(files.hold([b], (held) => held.commit([write, write]))).rejects.toMatchObject({
      code: "bad_request",
    });
    expect(at.tree()).toEqual({});
  });

  test("made folders do not stay behind", async () => {
    const at = newGround();
    const { io } = faultyIo({
      at: 1,
      error: "ENOSPC",
      forGood: true,
      only: (call) => isFlush.test(call),
    });
    await expect(commit(at.files({ io }), { "x/y/a.txt": "new" })).rejects.toMatchObject({ code: "io" });
    await expect(commit(at.files({ io }), { "x/y/a.txt": "1", "z/b.txt": "2" })).rejects.toMatchObject({
      code: "io",
    });
    expect(existsSync(join(at.root, "x"))).toBe(false);
    expect(existsSync(join(at.root, "z"))).toBe(false);
  });
});

describe("links swapped between the look and the deed", () => {
  /** Does something right before the first call that fits. */
  function interrupted(fits: (call: string) => boolean, deed: () => void) {
    let done = false;
    const only = (call: string): boolean => {
      if (!done && fits(call)) {
        done = true;
        deed();
      }
      return false;
    };
    return faultyIo({ at: 0, error: "", forGood: false, only }).io;
  }

  test.each([
    ["the folder, before it is opened", (call: string) => /^open .*work\/sub$/.test(call)],
    ["the folder, when it is open", (call: string) => /^open .*\.tmp$/.test(call)],
    ["the folder, right before the rename", (call: string) => /^rename /.test(call)],
    ["the folder, before the file is read", (call: string) => /^open .*a\.txt$/.test(call)],
  ])("%s", async (_, fits) => {
    const at = newGround();
    const outside = join(at.root, "..", "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "a.txt"), "not yours");
    at.put("sub/a.txt", "old");
    let swapped = false;
    const swap = (): void => {
      swapped = true;
      renameSync(join(at.root, "sub"), join(at.root, "was"));
      symlinkSync(outside, join(at.root, "sub"));
    };
    const files = at.files({ io: interrupted(fits, swap) });
    const file = await files.identify("sub/a.txt");
    const result = await files
      .hold([file], async (held) => {
        const before = await held.read(file);
        expect(text(before)).toBe("old");
        return held.commit([{ file, before, after: utf8("new") }]);
      })
      .catch((error: { code: string }) => error.code);
    expect(swapped).toBe(true);
    expect([true, false, "busy", "outside_roots"]).toContain(result);
    expect(realpathSync(join(at.root, "sub"))).toBe(realpathSync(outside));
    expect(text(nodeRead(join(outside, "a.txt")))).toBe("not yours");
    expect(Object.keys(at.tree()).filter((name) => name.includes(".kedge"))).toEqual([]);
    rmSync(outside, { recursive: true });
  });

  test("the file itself becomes a link out of the roots", async () => {
    const at = newGround();
    const secret = join(at.root, "..", "secret.txt");
    writeFileSync(secret, "not yours");
    const path = at.put("a.txt", "old");
    const files = at.files();
    const file = await files.identify("a.txt");
    rmSync(path);
    symlinkSync(secret, path);
    await expect(files.read(file)).rejects.toMatchObject({ code: "outside_roots" });
    await expect(files.hold([file], async (held) => held.read(file))).rejects.toMatchObject({
      code: "outside_roots",
    });
    rmSync(path);
    symlinkSync(at.put("b.txt", "other"), path);
    await expect(files.read(file)).rejects.toMatchObject({ code: "busy" });
  });

  const nodeRead = (path: string): Uint8Array => {
    const fd = nodeIo.open(path, 0);
    const bytes = new Uint8Array(100);
    const count = nodeIo.read(fd, bytes, 0);
    nodeIo.close(fd);
    return bytes.subarray(0, count);
  };
});

const isFlush = /^(fsync|flush|writeThrough) /;

describe("somebody who does not lock", () => {
  test.each([
    ["writes before the rename", "old", (path: string) => writeFileSync(path, "theirs")],
    ["writes the same bytes again", "old", (path: string) => writeFileSync(path, "old")],
    ["deletes it", "old", (path: string) => rmSync(path)],
    ["makes it", null, (path: string) => writeFileSync(path, "theirs")],
    ["puts a folder there", "old", (path: string) => [rmSync(path), mkdirSync(path)]],
  ])("%s: noticed at the last moment, or harmless", async (_, start, deed) => {
    const at = newGround();
    const path = join(at.root, "a.txt");
    if (start !== null) writeFileSync(path, start);
    let done = false;
    const only = (call: string): boolean => {
      if (!done && isFlush.test(call)) {
        done = true;
        deed(path);
      }
      return false;
    };
    const { io } = faultyIo({ at: 0, error: "", forGood: false, only });
    const same = start === "old" && _.includes("same");
    expect(await commit(at.files({ io }), { "a.txt": "mine" })).toBe(same);
    if (_.startsWith("writes before") || _.startsWith("makes")) expect(at.get("a.txt")).toBe("theirs");
    expect(Object.keys(at.tree()).filter((name) => name.includes(".kedge"))).toEqual([]);
  });
});

describe("somebody who does not lock writes into the file while it is replaced", () => {
  /** Opens the file as an editor does, and writes when the rename is about to happen, or just has. */
  async function along(changes: Record<string, string | null>, when: RegExp, write: (fd: number) => void) {
    const at = newGround();
    at.put("a.txt", "old");
    at.put("b.txt", "old");
    const fd = openSync(join(at.root, "a.txt"), "r+");
    let renamed = false;
    let done = false;
    const only = (call: string, args: readonly unknown[]): boolean => {
      if (!done && when.test(call) && (renamed || !isFlush.test(call))) {
        done = true;
        write(fd);
      }
      if (call.startsWith("rename") && /a\.txt( |$)/.test(`${args[0]} ${args[1]}`)) renamed = true;
      return false;
    };
    const { io } = faultyIo({ at: 0, error: "", forGood: false, only });
    const result = await commit(at.files({ io }), changes);
    expect(done).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 20));
    closeSync(fd);
    return { at, result };
  }
  const ways: [string, RegExp][] = [
    ["at the last moment", /^rename .*\.tmp$/],
    ["just after", isFlush],
  ];
  const single = { "a.txt": "mine" };
  const batch = { "a.txt": "mine", "b.txt": "mine", "c.txt": "mine" };

  test.each(ways)("%s: it is there again, and the commit starts over", async (_, when) => {
    for (const changes of [single, batch]) {
      const { at, result } = await along(changes, when, (fd) => {
        ftruncateSync(fd, 0);
        writeSync(fd, "theirs", 0);
      });
      expect(result).toBe(false);
      expect(at.tree()).toEqual({ "a.txt": "theirs", "b.txt": "old" });
    }
  });
  test.each(ways)("%s, in pieces: all of them", async (_, when) => {
    const { at, result } = await along(single, when, (fd) => {
      writeSync(fd, "first ", 0);
      setTimeout(() => writeSync(fd, "second", 6), 5);
    });
    expect(result).toBe(false);
    expect(at.tree()).toEqual({ "a.txt": "first second", "b.txt": "old" });
  });
  test("a file that is deleted in a batch", async () => {
    const changes = { "a.txt": null, "b.txt": "mine" };
    const { at, result } = await along(changes, isFlush, (fd) => void writeSync(fd, "theirs", 0));
    expect(result).toBe(false);
    expect(at.tree()).toEqual({ "a.txt": "theirs", "b.txt": "old" });
  });
});

test("a writer who does not lock can lose a write between the last look and the rename, and nothing is done between", async () => {
  const at = newGround();
  at.put("a.txt", "line\n".repeat(10_000));
  let [last, looked] = ["", 0];
  const windows: number[] = [];
  const before = new Set<string>();
  const told = Object.entries(nodeIo).map(([call, run]) => [
    call,
    (...args: unknown[]) => {
      const isRename = call === "rename" && String(args[1]).endsWith("a.txt");
      if (isRename) before.add(last);
      else looked = performance.now();
      last = call;
      const result: unknown = (run as (...args: unknown[]) => unknown)(...args);
      if (isRename) windows.push(performance.now() - looked);
      return result;
    },
  ]);
  const files = at.files({ io: Object.fromEntries(told) as Io });
  for (let round = 0; round < 100; round++) await commit(files, { "a.txt": `${round}\n`.repeat(10_000) });
  windows.sort((one, other) => one - other);
  const micro = (part: number): string => `${((windows[Math.floor(part * 99)] ?? 0) * 1000).toFixed(0)} µs`;
  console.log(
    `last look to end of rename: ${micro(0.5)} (half), ${micro(0.9)} (90 %), ${micro(1)} (longest)`,
  );
  expect(windows).toHaveLength(100);
  expect([...before].filter((call) => !/^[lf]stat$/.test(call))).toEqual([]);
});

test("a file that was emptied just now is given a moment to be written", async () => {
  const at = newGround();
  const path = at.put("a.txt", "old");
  const files = at.files();
  const file = await files.identify("a.txt");
  writeFileSync(path, "");
  setTimeout(() => writeFileSync(path, "theirs"), 5);
  expect(text(await files.read(file))).toBe("theirs");
  writeFileSync(path, "");
  expect(text(await files.read(file))).toBe("");
});

test("a file cut off in the middle of a write in place is told from a foreign change", () => {
  const before = utf8("a".repeat(3000));
  const after = utf8("b".repeat(5000));
  const cut = (bytes: number): Uint8Array =>
    Uint8Array.from([...after.subarray(0, bytes), ...before.subarray(bytes)]);
  for (const bytes of [0, 1, 511, 512, 1500, 2999, 3000])
    expect(isMixture(cut(bytes), before, after)).toBe(true);
  expect(isMixture(Uint8Array.from([...before, ...after.subarray(3000)]), before, after)).toBe(true);
  expect(isMixture(utf8("theirs"), before, after)).toBe(false);
  expect(isMixture(utf8(`${"a".repeat(2999)}X`), before, after)).toBe(false);
});
