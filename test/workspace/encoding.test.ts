import fc from "fast-check";
import iconv from "iconv-lite";
import { describe, expect, test } from "vitest";
import type { Edit } from "../../src/edits/index.js";
import { namedCodec } from "../../src/node.js";
import { memoryStore } from "../../src/ports/index.js";
import { Session } from "../../src/session/session.js";
import { Document } from "../../src/text/document.js";
import { detectCodec } from "../../src/workspace/encoding.js";
import { newGround } from "../support/node.js";

const samples: [encoding: string, text: string, cannot: string | null][] = [
  ["latin1", "// Größe der Datei prüfen\nconst straße = 1;\nÜbergabe für später\n", "€"],
  ["windows-1252", "“quoted” – text… costs 5 €\nnaïve café\n", "日"],
  ["shift_jis", "// 日本語のコメントです。これはテストです。\nint x = 1;\n", "é"],
  ["gbk", "// 这是一个中文注释，用于测试编码。\nint x = 1;\n", "é́"],
  ["big5", "// 這是一個中文註解，用來測試編碼。\n", "😀"],
  ["euc-kr", "// 한국어 주석입니다. 테스트를 위한 것입니다.\n", "é"],
  ["euc-jp", "// 日本語のコメントです。これはテストです。\n", "€"],
  ["windows-1251", "// Это комментарий на русском языке для проверки\n", "é"],
  ["koi8-r", "// Это комментарий на русском языке для проверки\n", "é"],
];

describe("encodings on real files", () => {
  test.each(samples)(
    "%s is detected, shown, and only touched lines are encoded anew",
    async (name, text, cannot) => {
      const at = newGround();
      const bytes = iconv.encode(text, name);
      at.put("a.txt", bytes);
      const files = at.files();
      const file = await files.identify("a.txt");
      const before = (await files.read(file)) ?? new Uint8Array(0);
      const codec = await files.codec?.(before, null);
      expect(codec?.name ?? "latin1").toBe(name);
      const document = Document.parse(before, codec ? { fallback: codec } : {});
      expect(document.lines().join("\n")).toBe(text.trimEnd());
      const line = document.text(0);
      const edited = document.splice([{ start: 1, end: 1, lines: [line.toUpperCase()] }]);
      if ("unencodable" in edited) throw new Error("unencodable");
      expect([...edited.toBytes().subarray(0, bytes.indexOf(10) + 1)]).toEqual([
        ...bytes.subarray(0, bytes.indexOf(10) + 1),
      ]);
      expect(iconv.decode(Buffer.from(edited.toBytes()), name).split("\n")[1]).toBe(line.toUpperCase());
      const refused = document.splice([{ start: 0, end: 1, lines: [`a${cannot}b`] }]);
      expect(refused).toMatchObject({ unencodable: expect.anything(), encoding: name });
    },
  );

  test("the encoding of the last showing is tried first, so that it does not flicker", async () => {
    const short = iconv.encode("// 設定\n", "shift_jis");
    expect((await detectCodec(short, { last: null, forced: null }))?.name).not.toBe("shift_jis");
    expect((await detectCodec(short, { last: "shift_jis", forced: null }))?.name).toBe("shift_jis");
    const plain = iconv.encode("é", "latin1");
    expect(await detectCodec(plain, { last: "latin1", forced: null })).toBeNull();
    expect(await detectCodec(plain, { last: "utf-8", forced: null })).toBeNull();
    expect(await detectCodec(plain, { last: "no such encoding", forced: null })).toBeNull();
  });

  test.each(["latin1", "windows-1252"])(
    "%s stays on record while the file holds ASCII only",
    async (name) => {
      const at = newGround();
      const special = name === "latin1" ? "Größe für später prüfen" : "“quoted” – costs 5 €, naïve café";
      at.put("a.txt", iconv.encode(`// ${special}\nplain\n`, name));
      const store = memoryStore();
      const agent = (id: string) => new Session({ files: at.files(), store, agent: id, clock: () => 1 });
      const edit = (edits: readonly Edit[]) => agent("one").edit({ path: "a.txt", edits });
      const read = await agent("one").read({ path: "a.txt" });
      const [first = ""] = read.text.split("|");
      expect((await edit([{ op: "delete_lines", start: first }])).isError).toBe(false);
      expect(at.get("a.txt")).toBe("plain\n");
      expect((await edit([{ op: "append", text: special }])).isError).toBe(false);
      const content = await at.files().read(await at.files().identify("a.txt"));
      expect(Buffer.from(content ?? [])).toEqual(iconv.encode(`plain\n${special}\n`, name));
      at.put("a.txt", `plain\n${special}\n`);
      expect((await agent("one").read({ path: "a.txt" })).text).toContain(`|${special}`);
    },
  );

  test("a forced one is taken, unless it would change bytes", async () => {
    const bytes = iconv.encode("“x”", "windows-1252");
    expect((await detectCodec(bytes, { last: "gbk", forced: "Windows-1251" }))?.name).toBe("windows-1251");
    expect(await detectCodec(Uint8Array.of(0x81, 0x20), { last: null, forced: "shift_jis" })).toBeNull();
    const files = newGround().files({ encoding: "koi8-r" });
    expect((await files.codec?.(bytes, null))?.name).toBe("koi8-r");
  });

  test.each(["nonsense", "utf-7", "utf-32", "base64", "hex"])("%s is refused by name", async (name) => {
    await expect(namedCodec(name)).rejects.toMatchObject({
      code: "bad_request",
      message: expect.stringContaining(name),
    });
  });

  test("UTF-16 without a mark, if it is asked for", async () => {
    const bytes = iconv.encode("a\nü\n", "utf-16le");
    const document = Document.parse(bytes, { codec: await namedCodec("utf-16le") });
    expect(document.lines()).toEqual(["a", "ü"]);
  });

  test("whatever is answered gives exactly the bytes back", async () => {
    const bytes = fc.uint8Array({ maxLength: 200 });
    const last = fc.constantFrom(null, ...samples.map(([name]) => name));
    await fc.assert(
      fc.asyncProperty(bytes, last, async (content, name) => {
        const codec = await detectCodec(content, { last: name, forced: null });
        if (codec === null) return;
        expect([...(codec.encode(codec.decode(content)) ?? [])]).toEqual([...content]);
        const document = Document.parse(content, { fallback: codec });
        expect([...document.toBytes()]).toEqual([...content]);
      }),
    );
  });

  test("a long head of ASCII does not hide the encoding", async () => {
    const text = `${"plain line\n".repeat(20_000)}// 日本語のコメントです。これはテストです。\n`;
    expect((await detectCodec(iconv.encode(text, "shift_jis"), { last: null, forced: null }))?.name).toBe(
      "shift_jis",
    );
  });
});
