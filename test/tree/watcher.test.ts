/** Calls of our own tools look at the tree: through the command line, MCP and the library, with no guard anywhere. */
import { execFileSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { findWorkspace } from "../../src/host/find-workspace.js";
import type { JournalEntry } from "../../src/ports/store.js";
import { openSession } from "../../src/sdk/index.js";
import { nodeStore } from "../../src/store/store.js";
import { treeOnRecord } from "../../src/tree/index.js";
import { Place } from "../cli/support.js";
import { Raw, type Workspace } from "../mcp/program.js";

const ten = Array.from({ length: 10 }, (_, at) => `number ${at + 1}\n`).join("");
const dirty = ten.replace("number 2", "number two, typed by a person");

const identity = ["-c", "user.name=a", "-c", "user.email=a@b.example", "-c", "commit.gpgsign=false"];

class Repository extends Place {
  constructor(files: Readonly<Record<string, string>> = { "a.txt": ten, "b.txt": ten }) {
    super(files);
    this.git("init", "-q", "-b", "main");
    this.git("add", "-A");
    this.git("commit", "-q", "-m", "first");
  }

  git(...args: string[]): string {
    return execFileSync("git", [...identity, ...args], { cwd: this.folder, encoding: "utf8", stdio: "pipe" });
  }

  private get store() {
    const workspace = findWorkspace(realpathSync(this.folder));
    return nodeStore({ state: this.state, workspace, brief: true });
  }

  /** Changes that are on record once `kedge lost` has looked at the tree. */
  async journal(): Promise<JournalEntry[]> {
    await this.before(["lost"], "somebody");
    return (await this.store.journal()).filter(({ kind }) => kind === "commit");
  }

  /** Who changed which lines of which file. */
  async told(): Promise<string[]> {
    const entries = await this.journal();
    return entries.map(
      ({ agent, path, lines }) => `${agent} ${basename(path)} ${lines.map(({ start }) => start)}`,
    );
  }

  /** How many uncommitted files are on record. */
  async kept(): Promise<number> {
    return (await treeOnRecord(this.store, realpathSync(this.folder)))?.kept ?? 0;
  }
}

/** An edit of line 5, as an agent makes it. */
interface Door {
  readonly name: string;
  open(
    place: Repository,
  ): Promise<{ edit(text: string): Promise<unknown>; read(path: string): Promise<unknown> }>;
}

const doors: readonly Door[] = [
  {
    name: "the command line",
    async open(place) {
      return {
        edit: async (fresh) => {
          const [anchor = ""] = (await place.before(["read", "a.txt:5"])).split("|");
          await place.before(["edit", "a.txt", anchor, fresh]);
        },
        read: (path) => place.before(["read", path]),
      };
    },
  },
  {
    name: "MCP",
    async open(place) {
      const raw = await Raw.start({ root: place.folder, env: place.env() } as unknown as Workspace);
      onTestFinished(async () => void (await raw.end()));
      await raw.initialise();
      let id = 0;
      const call = async (name: string, args: object): Promise<string> => {
        raw.call(++id, name, args);
        return (await raw.answer(id)).result.content[0].text;
      };
      return {
        edit: async (fresh) => {
          const [anchor] = (await call("read_file", { path: "a.txt", offset: 5, limit: 1 })).split("|");
          await call("edit_file", { path: "a.txt", edits: [{ op: "set_line", anchor, text: fresh }] });
        },
        read: (path) => call("read_file", { path }),
      };
    },
  },
  {
    name: "the library",
    async open(place) {
      const env = place.env() as Record<string, string>;
      const session = openSession({ root: place.folder, agent: "tester", env });
      return {
        edit: async (fresh) => {
          const { text } = await session.read({ path: "a.txt", offset: 5, limit: 1 });
          const [anchor = ""] = text.split("|");
          await session.edit({ path: "a.txt", edits: [{ op: "set_line", anchor, text: fresh }] });
        },
        read: (path) => session.read({ path }),
      };
    },
  },
];

describe.each(doors)("without a guard, through $name", ({ open }) => {
  test("lines that a person left in a file are theirs, and not of the agent that edits it", async () => {
    const place = new Repository();
    place.put("a.txt", dirty);
    const door = await open(place);
    await door.edit("first");
    expect(await place.told()).toEqual(["outside a.txt 2", "tester a.txt 5"]);
    place.put("a.txt", `${place.text("a.txt")}typed later\n`);
    await door.edit("second");
    await door.edit("third");
    const later = ["outside a.txt 11", "tester a.txt 5", "tester a.txt 5"];
    expect(await place.told()).toEqual(["outside a.txt 2", "tester a.txt 5", ...later]);
  });

  test("what lies in the tree after a call is on record before another program takes it away", async () => {
    const place = new Repository();
    place.put("b.txt", dirty);
    place.put("new.txt", "untracked\n");
    const door = await open(place);
    await door.read("a.txt");
    await expect.poll(() => place.kept(), { timeout: 20_000, interval: 100 }).toBe(2);
    place.git("checkout", "--", ".");
    place.git("clean", "-fdq");
    for (const { id } of await place.journal()) await place.before(["undo", "--anyone", "--id", id]);
    expect([place.text("b.txt"), place.text("new.txt")]).toEqual([dirty, "untracked\n"]);
  });
});
