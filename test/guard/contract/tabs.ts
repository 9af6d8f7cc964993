/** Files that are indented with tabs: clients show them with blanks, and no text is ever made of that. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { JournalEntry } from "../../../src/ports/store.js";
import { Document } from "../../../src/text/document.js";
import type { Driver, Replacement } from "../drivers/driver.js";
import { type Agent, quiet, Stage } from "../stage.js";
import { tabbed } from "./source.js";

/** One after the other: a line, some lines, one more line, one less, the last one. */
const edits: Readonly<Record<string, readonly Replacement[]>> = {
  "main.go": [
    { old: "\ttotal := 0", new: "\ttotal := 1" },
    { old: "\t\tif row.Count > 0 {\n\t\t\ttotal += row.Count\n\t\t}", new: "\t\ttotal += row.Count" },
    { old: "\tCount int", new: "\tCount int\n\tAge   int" },
    { old: "\tName  string // who\n\tCount int", new: "\tCount int" },
    { old: "\tfmt.Println(sum(nil))\n}", new: "\tfmt.Println(sum([]Row{}))\n}" },
  ],
  Makefile: [
    { old: "\t@echo compiling", new: "\t@echo compile" },
    { old: "\tif ./app; then \\\n\t\techo fine; \\\n\tfi", new: "\t./app\n\t@echo fine" },
    { old: "build: main.o", new: "build: main.o\n\t@mkdir -p out" },
    { old: "  FLAGS := -O2\n\nall: build test", new: "all: build test" },
    { old: ".PHONY: all test", new: ".PHONY: all build test" },
  ],
};

const kinds: Readonly<Record<string, (text: string) => string>> = {
  "as it is": (text) => text,
  "with line ends of Windows": (text) => text.replaceAll("\n", "\r\n"),
  "with a byte order mark": (text) => `\ufeff${text}`,
  "without an end of the last line": (text) => text.trimEnd(),
};

/** A file, and each text that it ever had. */
class Watched {
  readonly stage: Stage;
  readonly agent: Agent;
  readonly texts: Buffer[] = [];

  constructor(
    driver: Driver,
    readonly name: string,
    text: string,
  ) {
    this.stage = new Stage(driver, { [name]: text }, { git: true });
    this.agent = this.stage.agent();
    this.look();
  }

  get path(): string {
    return this.stage.path(this.name);
  }

  look(): Buffer {
    const bytes = readFileSync(this.path);
    if (!this.texts.at(-1)?.equals(bytes)) this.texts.push(bytes);
    return bytes;
  }

  async course(): Promise<void> {
    await this.agent.read(this.path);
    for (const edit of edits[this.name] as Replacement[]) {
      expect(await this.agent.edit(this.path, edit), edit.old).toMatchObject(quiet);
      this.look();
    }
  }

  async journal(): Promise<JournalEntry[]> {
    const lines = (await this.stage.kedge("log", "--json")).trimEnd().split("\n");
    return lines.map((line) => JSON.parse(line) as JournalEntry);
  }
}

export function tabs(driver: Driver): void {
  for (const [name, text] of Object.entries(tabbed))
    for (const [kind, made] of Object.entries(kinds))
      test(`${name} ${kind}: edited without a note, and the journal holds texts of the file alone`, async () => {
        const file = new Watched(driver, name, made(text));
        await file.course();
        const versions = file.texts.map((bytes) => Document.parse(bytes).version);
        const entries = await file.journal();
        expect(entries.map(({ before }) => versions.indexOf(before ?? ""))).toEqual([0, 1, 2, 3, 4]);
        expect(entries.map(({ after }) => versions.indexOf(after ?? ""))).toEqual([1, 2, 3, 4, 5]);
      });

  for (const name of Object.keys(tabbed)) {
    test(`${name}: undo gives back the bytes, edit by edit`, async () => {
      const file = new Watched(driver, name, tabbed[name] as string);
      await file.course();
      for (const [at, { id }] of [...(await file.journal()).entries()].reverse()) {
        const printed = await file.stage.kedge("undo", "--id", id, "--anyone");
        expect(file.look().toString(), printed).toBe(file.texts[at]?.toString());
      }
    });

    test(`${name}: restore gives back the bytes that a command took away`, async () => {
      const file = new Watched(driver, name, tabbed[name] as string);
      await file.course();
      file.stage.foreign("git checkout -q -- .");
      expect(file.look()).toEqual(file.texts[0]);
      const printed = await file.stage.kedge("restore", "--all");
      expect(file.look().toString(), printed).toBe(file.texts[5]?.toString());
    });

    test(`${name}: read whole and edited, it is written over`, async () => {
      const file = new Watched(driver, name, tabbed[name] as string);
      await file.course();
      const text = `${file.look()}# more\n`;
      expect(await file.agent.write(file.path, text)).toMatchObject(quiet);
      expect(await file.agent.write(file.path, "all\tof\n\tit\n")).toMatchObject(quiet);
    });

    test(`${name}: what a formatter makes of an edit is told, and that alone`, async () => {
      const file = new Watched(driver, name, tabbed[name] as string);
      const [edit] = edits[name] as readonly Replacement[];
      await file.agent.read(file.path);
      file.stage.formatter = () => file.stage.put(name, file.stage.text(name).replace(/(.*)\n$/, "$1 \n"));
      const { tell } = await file.agent.edit(file.path, edit as Replacement);
      expect(tell).toMatch(/formatter/);
      expect(tell).not.toContain(edit?.new);
    });
  }

  test("a Makefile that is written anew keeps its tabs in the journal", async () => {
    const file = new Watched(driver, "Makefile", tabbed.Makefile as string);
    await file.agent.read(file.path);
    const text = (tabbed.Makefile as string).replace("\t@echo compiling\n", "");
    expect(await file.agent.write(file.path, text)).toMatchObject(quiet);
    file.look();
    const [entry] = await file.journal();
    const versions = file.texts.map((bytes) => Document.parse(bytes).version);
    expect([entry?.before, entry?.after]).toEqual(versions);
  });
}
