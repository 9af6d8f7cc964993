/** Two servers on one tree and one record: none of them is special. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import { four, Place } from "../cli/support.js";
import { anchor, Served, token } from "./support.js";

async function two(files: Readonly<Record<string, string>> = { "a.ts": four }) {
  const place = new Place(files);
  const builder = await token(place, "builder");
  const servers = await Promise.all([Served.start(place), Served.start(place)]);
  return { place, builder, one: servers[0] as Served, other: servers[1] as Served };
}

test("what was read through one is edited through the other, by its anchors", async () => {
  const { place, builder, one, other } = await two();
  const shown = await one.call(builder, "read_file", { path: "a.ts" });
  place.put("a.ts", `zero\n${four}`);
  const edits = [{ op: "set_line", anchor: anchor(shown, 3), text: "drei" }];
  expect((await other.call(builder, "edit_file", { path: "a.ts", edits })).isError).toBe(false);
  expect(place.text("a.ts")).toBe("zero\none\ntwo\ndrei\nfour\n");
});

test("a handle that one gave is used at the other, once", async () => {
  const { place, builder, one, other } = await two();
  const shown = await one.call(builder, "read_file", { path: "a.ts" });
  place.put("a.ts", four.replace("two", "changed"));
  const edits = [{ op: "set_line", anchor: anchor(shown, 2), text: "mine" }];
  const refused = await one.call(builder, "edit_file", { path: "a.ts", edits });
  const { retry } = refused.details;
  expect(retry).toMatch(/^r/);
  const answers = await Promise.all([
    other.call(builder, "edit_file", { path: "a.ts", retry }),
    one.call(builder, "edit_file", { path: "a.ts", retry }),
  ]);
  expect(answers.filter(({ isError }) => !isError)).toHaveLength(1);
  expect(place.text("a.ts")).toBe(four.replace("two", "mine"));
});

test("of 16 agents on both, every accepted edit is in the file exactly once, and agents of different scopes share its lock", async () => {
  const place = new Place({
    "src/a.ts": `${Array.from({ length: 16 }, (_, at) => `line ${at}`).join("\n")}\n`,
  });
  const tokens = await Promise.all(
    Array.from({ length: 16 }, (_, at) =>
      token(place, `agent-${at}`, ...(at % 3 === 0 ? ["--path", at % 2 ? "src" : "src/**"] : [])),
    ),
  );
  const servers = await Promise.all([Served.start(place), Served.start(place)]);
  const accepted: string[] = [];
  await Promise.all(
    tokens.map(async (own, at) => {
      for (let round = 0; round < 4; round++) {
        const server = servers[(at + round) % 2] as Served;
        const shown = await server.call(own, "read_file", { path: "src/a.ts" });
        const row = shown.text.split("\n").find((line) => new RegExp(`\\|line ${at}$`).test(line)) as string;
        const text = `edit ${at}.${round}`;
        const edits = [{ op: "insert_after", anchor: row.split("|")[0], text }];
        const answer = await (servers[(at + round + 1) % 2] as Served).call(own, "edit_file", {
          path: "src/a.ts",
          edits,
        });
        if (!answer.isError) accepted.push(text);
      }
    }),
  );
  const made = place
    .text("src/a.ts")
    .split("\n")
    .filter((line) => line.startsWith("edit"));
  expect(made.sort()).toEqual(accepted.sort());
  expect(accepted.length).toBeGreaterThan(56);
});

describe.each(["legacy", "modern"] as const)("the official client, %s protocol", (era) => {
  async function connected(server: Served, given: string | null): Promise<Client> {
    const mode = era === "modern" ? { pin: "2026-07-28" } : "legacy";
    const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
    const headers: Record<string, string> = given === null ? {} : { authorization: `Bearer ${given}` };
    await client.connect(
      new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers } }),
    );
    return client;
  }

  test("lists the tools at one server, and works through both", async () => {
    const { place, builder, one, other } = await two();
    const [first, second] = [await connected(one, builder), await connected(other, builder)];
    expect((await first.listTools()).tools).toHaveLength(5);
    const read = (await first.callTool({ name: "read_file", arguments: { path: "a.ts" } })) as never as {
      content: [{ text: string }];
    };
    const edits = [{ op: "set_line", anchor: read.content[0].text.split("|")[0], text: "eins" }];
    expect(
      await second.callTool({ name: "edit_file", arguments: { path: "a.ts", edits } }),
    ).not.toMatchObject({
      isError: true,
    });
    expect(place.text("a.ts")).toBe(four.replace("one", "eins"));
    await first.close();
    await second.close();
  });

  test.runIf(era === "modern")("that waits for news keeps no server from ending", async () => {
    const { builder, one } = await two();
    const client = await connected(one, builder);
    const { closed } = await client.listen({ toolsListChanged: true });
    expect(await one.stop()).toBe(0);
    expect(await closed).not.toBe("local");
  });

  test("hears why it is not let in", async () => {
    const { one } = await two();
    await expect(connected(one, null)).rejects.toThrow();
    await expect(connected(one, "kedge_wrong")).rejects.toThrow();
  });

  test("hears how far a search has come", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 2000 }, (_, at) => [`f${at}.txt`, `${at}\n`.repeat(300)]),
    );
    const { builder, one } = await two(files);
    const client = await connected(one, builder);
    const heard: number[] = [];
    const asked = { name: "grep", arguments: { pattern: "1999$" } };
    await client.callTool(asked, { onprogress: ({ progress }) => void heard.push(progress) });
    expect(heard.length).toBeGreaterThan(0);
    expect(heard).toEqual([...heard].sort((a, b) => a - b));
    await client.close();
  });
});
