/** The built server as agents and whoever runs it meet it. */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { connect as dial } from "node:tls";
import { describe, expect, test } from "vitest";
import { findWorkspace, nodeStore } from "../../src/node.js";
import type { JournalEntry } from "../../src/ports/index.js";
import { four, Place } from "../cli/support.js";
import { Random } from "../support/random.js";
import { anchor, Served, token } from "./support.js";

const tools = ["read_file", "edit_file", "multi_edit", "write_file", "grep"];
const list = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';

describe("without tokens", () => {
  test("a server on this machine answers every program of it, and tells where it is", async () => {
    const place = new Place({ "a.ts": four });
    const served = await Served.start(place);
    expect(served.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
    const shown = await served.call(undefined, "read_file", { path: "a.ts" });
    expect(shown.text).toMatch(/^1#\w+\|one\n/);
    const edits = [{ op: "set_line", anchor: anchor(shown, 2), text: "zwei" }];
    expect((await served.call(undefined, "edit_file", { path: "a.ts", edits })).isError).toBe(false);
    expect(place.text("a.ts")).toBe("one\nzwei\nthree\nfour\n");
    expect(place.ok("log", "--json")).toContain('"agent":"local"');
    expect(served.stderr).toContain("to every program on this machine: no token was made");
  });

  test.each<[string, readonly string[], string]>([
    ["on another interface in the clear", ["0.0.0.0:0"], "would cross the network in the clear"],
    ["on every IPv6 interface in the clear", ["[::]:0"], "would cross the network in the clear"],
    ["behind a proxy", ["0", "--behind-proxy"], "no token for this tree"],
    ["on another interface behind a proxy", ["0.0.0.0:0", "--behind-proxy"], "no token for this tree"],
    ["with half a certificate", ["0", "--tls-cert", "x.pem"], "go together"],
    ["with no certificate where one should be", ["0", "--tls-cert", "x", "--tls-key", "y"], "cannot be read"],
    ["at no address", ["127.0.0.1:99999"], "is no [HOST:]PORT"],
    ["at somebody else's address", ["no.such.host.invalid:0"], "is no address of this machine"],
  ])("a server %s does not start", (_, [http, ...args], why) => {
    const place = new Place({ "a.ts": four });
    const { status, stdout, stderr } = place.run(["serve", "--http", http as string, "--root", ".", ...args]);
    expect(stderr).toContain(why);
    expect(stdout).toBe("");
    expect([1, 2]).toContain(status);
  });

  test("a token that is made while it runs is asked for from then on, and after all are revoked", async () => {
    const place = new Place({ "a.ts": four });
    const served = await Served.start(place);
    expect((await served.ask({ body: list })).status).toBe(200);
    const builder = await token(place, "builder");
    const statuses = async () =>
      Promise.all([served.ask({ body: list }), served.ask({ body: list, token: builder })]).then((all) =>
        all.map(({ status }) => status),
      );
    await expect.poll(statuses, { timeout: 20_000 }).toEqual([401, 200]);
    expect(place.ok("session", "purge", "--yes")).toContain("tokens stay good until kedge token revoke");
    expect(place.ok("token", "list")).toContain("builder");
    place.ok("token", "revoke", "builder");
    await expect.poll(statuses, { timeout: 20_000 }).toEqual([401, 401]);
  });
});

describe("a server with tokens", () => {
  test("answers nobody without one, and pages of other origins not at all", async () => {
    const place = new Place({ "a.ts": four });
    const good = await token(place, "builder");
    const served = await Served.start(place);
    const refused: readonly (readonly [string, number, object])[] = [
      ["no token", 401, {}],
      ["an unknown token", 401, { token: "kedge_nobody" }],
      ["the name for the token", 401, { token: "builder" }],
      ["another scheme", 401, { headers: { authorization: `Basic ${good}` } }],
      ["two words", 401, { headers: { authorization: `Bearer ${good} ${good}` } }],
      ["its hash", 401, { token: JSON.parse(place.ok("token", "list", "--json")).id }],
      ["another origin", 403, { token: good, headers: { origin: "https://evil.example" } }],
      ["another port of this machine", 403, { token: good, headers: { origin: "http://127.0.0.1:1" } }],
      ["no origin at all", 403, { token: good, headers: { origin: "null" } }],
      ["a name that was made lead here", 421, { token: good, headers: { host: "evil.example" } }],
      ["a name with a port", 421, { token: good, headers: { host: "evil.example:80" } }],
      ["an address before a name", 421, { token: good, headers: { host: "127.0.0.1@evil.example" } }],
      ["a name like an address", 421, { token: good, headers: { host: "127.0.0.1.evil.example" } }],
    ];
    for (const [name, status, asked] of refused) {
      const answer = await served.ask({ body: list, ...asked });
      expect(answer.status, name).toBe(status);
      expect(answer.body, name).not.toContain("tools");
      expect(answer.headers["access-control-allow-origin"], name).toBeUndefined();
      if (status === 401) expect(answer.headers["www-authenticate"], name).toContain("Bearer");
    }
    const own = { origin: new URL(served.url).origin };
    for (const headers of [{}, own, { host: "localhost" }, { host: "LOCALHOST:80" }, { host: "[::1]:80" }])
      expect((await served.ask({ body: list, token: good, headers })).status).toBe(200);
    expect((await served.ask({ path: "/metrics" })).status).toBe(401);
    expect((await served.ask({ path: "/metrics", token: good })).status).toBe(200);
    for (const path of ["/healthz", "/readyz"])
      expect(await served.ask({ path, headers: { host: "10.1.2.3" } })).toMatchObject({
        status: 200,
        body: "ok\n",
      });
    expect((await served.ask({ path: "/", token: good })).status).toBe(404);
  });

  test("divides an agent by the session of a call, and never gives it another's place", async () => {
    const place = new Place({ "a.ts": four });
    const [alice, bob] = [await token(place, "alice"), await token(place, "bob")];
    const served = await Served.start(place);
    const shown = await served.call(bob, "read_file", { path: "a.ts" });
    const edit = (line: number, text: string) => ({
      path: "a.ts",
      edits: [{ op: "set_line", anchor: anchor(shown, line), text }],
    });
    for (const session of [undefined, "bob", "../bob"]) {
      const forged = await served.call(alice, "edit_file", { ...edit(1, "forged"), session });
      expect(forged.details).toMatchObject({ code: "not_read" });
    }
    expect((await served.call(bob, "edit_file", { ...edit(1, "x"), session: "part" })).details.code).toBe(
      "not_read",
    );
    expect((await served.call(bob, "edit_file", edit(1, "eins"))).isError).toBe(false);
    const agents = place
      .ok("log", "--json")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).agent);
    expect(agents).toEqual(["alice", "alice/bob", "alice/../bob", "bob/part", "bob"]);
    expect(served.calls.map(({ agent }) => agent)).toEqual(["bob", ...agents]);
  });

  test("with --read-only reads, and has no tool that writes", async () => {
    const place = new Place({ "a.ts": four });
    const reader = await token(place, "reviewer", "--read-only");
    const served = await Served.start(place);
    expect((await served.call(reader, "read_file", { path: "a.ts" })).text).toContain("|one");
    expect((await served.call(reader, "grep", { pattern: "two" })).text).toContain("|two");
    for (const name of tools.slice(1, 4)) {
      const { error } = await served.call(reader, name, { path: "a.ts", content: "x" });
      expect(error?.message).toContain(
        `${name} is off: only reading is allowed here; tools: read_file, grep`,
      );
    }
    expect((await served.ask({ body: list, token: reader })).body).not.toContain("write_file");
    expect(place.text("a.ts")).toBe(four);
  });

  test("with --path tells of nothing else: in answers, refusals, the log and the journal", async () => {
    const secret = "the needle nobody may read\n";
    const place = new Place({ "docs/a.md": "a needle\nb\nc\n", "private/keys.md": secret });
    const [writer, chief] = [await token(place, "writer", "--path", "docs/**"), await token(place, "chief")];
    const served = await Served.start(place);
    const answers = [await served.call(writer, "read_file", { path: "docs/a.md" })];
    const one = answers[0] as (typeof answers)[0];
    expect(one.text).toContain("|a needle");
    for (const path of [
      "private/keys.md",
      "docs/../private/keys.md",
      "/etc/hostname",
      place.path("private/keys.md"),
    ])
      for (const [name, args] of [
        ["read_file", { path }],
        ["grep", { pattern: "needle", path }],
        ["write_file", { path, content: "x" }],
        ["multi_edit", { files: [{ path: "docs/a.md", edits: [{ op: "move_file", to: path }] }] }],
        ["multi_edit", { files: [{ path, edits: [{ op: "move_file", to: "docs/b.md" }] }] }],
        ["edit_file", { path, edits: [{ op: "append", text: "x" }] }],
      ] as const) {
        const answer = await served.call(writer, name, args);
        expect(answer, `${name} ${path}`).toMatchObject({
          isError: true,
          details: { code: "outside_roots" },
        });
        answers.push(answer);
      }
    answers.push(await served.call(writer, "grep", { pattern: "needle" }));
    expect(answers.at(-1)?.details).toMatchObject({ matches: 1 });
    // Somebody with all of the tree moves the file away, and another file here.
    await served.call(chief, "read_file", { path: "docs/a.md" });
    const away = { path: "docs/a.md", edits: [{ op: "move_file", to: "private/a.md" }] };
    expect((await served.call(chief, "multi_edit", { files: [away] })).isError).toBe(false);
    const edits = [{ op: "set_line", anchor: anchor(one, 2), text: "x" }];
    answers.push(await served.call(writer, "edit_file", { path: "docs/a.md", edits }));
    answers.push(await served.call(writer, "read_file", { path: "docs/a.md" }));
    expect(answers.at(-2)?.isError).toBe(true);
    for (const { text, details } of answers)
      expect(JSON.stringify([text, details]).replaceAll("docs/**", "")).not.toMatch(
        /private|keys|nobody|hostname|chief/,
      );
    expect(place.text("private/keys.md")).toBe(secret);
    const own = place
      .ok("log", "--json")
      .split("\n")
      .filter((line) => line.includes('"writer"'));
    expect(own.length).toBeGreaterThan(10);
    expect(own.join("\n")).not.toMatch(/private|keys|hostname/);
    expect(served.stdout).not.toMatch(/private|keys|needle|docs|hostname/);
  });

  test("with --days ends by itself", async () => {
    const place = new Place({ "a.ts": four });
    const brief = await token(place, "brief", "--days", "1");
    const { until } = JSON.parse(place.ok("token", "list", "--json"));
    expect(until - Date.now()).toBeGreaterThan(86_000_000);
    const served = await Served.start(place);
    expect((await served.ask({ body: list, token: brief })).status).toBe(200);
  });

  test("two tokens of a name are one agent, so that the newer takes the place of the older", async () => {
    const place = new Place({ "a.ts": four });
    const older = await token(place, "builder");
    const served = await Served.start(place);
    const shown = await served.call(older, "read_file", { path: "a.ts" });
    const newer = await token(place, "builder");
    const [{ id }] = place
      .ok("token", "list", "--json")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(place.ok("token", "revoke", id)).toContain("one token is revoked");
    await expect
      .poll(async () => (await served.ask({ body: list, token: older })).status, { timeout: 20_000 })
      .toBe(401);
    const edits = [{ op: "set_line", anchor: anchor(shown, 1), text: "eins" }];
    expect((await served.call(newer, "edit_file", { path: "a.ts", edits })).isError).toBe(false);
  });

  test("bounds the calls of a minute for each token by itself", async () => {
    const place = new Place({ "a.ts": four });
    const [one, other] = [await token(place, "one"), await token(place, "other")];
    const served = await Served.start(place, ["--calls", "5"]);
    const statuses: number[] = [];
    for (let at = 0; at < 7; at++) statuses.push((await served.ask({ body: list, token: one })).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
    const late = await served.ask({ body: list, token: one });
    expect(Number(late.headers["retry-after"])).toBeGreaterThan(0);
    expect(late.body).toMatch(/5 calls a minute are what a token may make here: wait \d+ s/);
    const many = `[${Array.from({ length: 20 }, () => list).join()}]`;
    expect((await served.ask({ body: many, token: other })).status).toBe(429);
    expect((await served.ask({ body: list, token: other })).status).toBe(200);
  });

  test("a search that has the process to itself for seconds counts as many calls", async () => {
    const place = new Place({ "a.ts": `${"a".repeat(40)}b\n` });
    const wild = await token(place, "wild");
    const served = await Served.start(place, ["--calls", "100"]);
    const { text } = await served.call(wild, "grep", { pattern: "(a+)+$" });
    expect(text).toContain("the pattern takes too long");
    expect((await served.ask({ body: list, token: wild })).status).toBe(429);
  });

  test("by default lets an ordinary agent through: some hundred calls at once", async () => {
    const place = new Place({ "a.ts": four });
    const busy = await token(place, "busy");
    const served = await Served.start(place);
    const all = Array.from({ length: 300 }, () => served.ask({ body: list, token: busy }));
    expect(new Set((await Promise.all(all)).map(({ status }) => status))).toEqual(new Set([200]));
  });
});

describe("figures and log", () => {
  test("count calls, refusals, waits and what was lost, and name nobody and nothing", async () => {
    const place = new Place({ "secret-name.ts": "secret text\n" });
    const builder = await token(place, "builder");
    const served = await Served.start(place, ["--metrics", "0"]);
    const args = { path: "secret-name.ts", session: "part" };
    await served.call(builder, "read_file", args);
    await served.call(builder, "edit_file", { ...args, edits: [{ op: "append", text: "secret more" }] });
    await served.call(builder, "write_file", { path: "secret-name.ts", content: "secret other" });
    await served.call(builder, "edit_file", {
      path: "secret-name.ts",
      edits: [{ op: "set_line", anchor: "9#123456", text: "x" }],
    });
    const { metrics: monitor } = JSON.parse(served.stdout.split("\n")[0] as string);
    expect(monitor).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/);
    const text = await (await fetch(monitor)).text();
    expect(text).toBe(
      (await served.ask({ path: "/metrics", token: builder })).body.replace(text, text) && text,
    );
    for (const row of [
      'kedge_calls_total{tool="read_file",outcome="done"} 1',
      'kedge_calls_total{tool="edit_file",outcome="done"} 1',
      'kedge_calls_total{tool="write_file",outcome="refused"} 1',
      'kedge_refusals_total{code="not_read"} 2',
      'kedge_call_seconds_count{tool="edit_file"} 2',
      "kedge_lost_edits_total 0",
    ])
      expect(text).toContain(row);
    expect(text).toMatch(/kedge_lock_wait_seconds_count\{place="store"\} [1-9]/);
    const rows = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    for (const row of rows) expect(row).toMatch(/^kedge_\w+(\{[^}]*\})? [\d.e+-]+$/);
    expect(text).not.toMatch(/secret|builder|part/);
    expect((await fetch(monitor.replace("metrics", "mcp"), { method: "POST", body: list })).status).toBe(404);
    expect(served.calls).toHaveLength(4);
    expect(served.calls[1]).toEqual({
      ...{
        time: expect.any(String),
        agent: "builder/part",
        tool: "edit_file",
        outcome: "done",
        ms: expect.any(Number),
      },
    });
    expect(served.calls[2]).toMatchObject({ outcome: "refused", code: "not_read" });
    expect(served.stdout).not.toContain("secret");
    expect(served.stderr).not.toContain("secret");
  });

  test("edits that a command took away are counted when they are found", async () => {
    const place = new Place({ "a.ts": four });
    const builder = await token(place, "builder");
    const served = await Served.start(place);
    await served.call(builder, "read_file", { path: "a.ts" });
    await served.call(builder, "edit_file", {
      path: "a.ts",
      edits: [{ op: "append", text: "a line of work" }],
    });
    // As a guard writes it down, in a process of its own.
    const store = nodeStore({ state: place.state, workspace: findWorkspace(place.folder) });
    const [made] = await store.journal();
    const found = {
      ...(made as JournalEntry),
      id: "lost-1",
      kind: "lost" as const,
      edits: [made?.id ?? "", "x"],
    };
    await store.append([found]);
    const { body } = await served.ask({ path: "/metrics", token: builder });
    expect(body).toMatch(/^kedge_lost_edits_total 2$/m);
  });
});

describe("hostile requests", () => {
  test("are refused, one by one, and the server goes on", async () => {
    const place = new Place({ "a.ts": four });
    const good = await token(place, "builder");
    const served = await Served.start(place);
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const table: readonly (readonly [string, object, number | readonly number[]])[] = [
      ["no JSON", { body: "{nonsense" }, 400],
      ["an empty body", { body: "" }, [400, 405]],
      ["a number", { body: "7" }, 400],
      ["null", { body: "null" }, 400],
      ["an empty list", { body: "[]" }, 400],
      ["no method", { body: '{"jsonrpc":"2.0","id":1}' }, 400],
      ["nesting without end", { body: deep }, 400],
      ["another type", { body: list, headers: { "content-type": "text/plain" } }, 415],
      ["a form", { body: list, headers: { "content-type": "application/x-www-form-urlencoded" } }, 415],
      ["a client that takes nothing we have", { body: list, headers: { accept: "text/html" } }, 406],
      ["an unknown version", { body: list, headers: { "mcp-protocol-version": "1999-01-01" } }, 400],
      ["GET", { method: "GET" }, 405],
      ["DELETE", { method: "DELETE" }, 405],
      ["OPTIONS", { method: "OPTIONS" }, 405],
      ["PUT", { method: "PUT", body: list }, 405],
      ["another path", { path: "/mcp/../etc/passwd", body: list }, 404],
      ["33 MB", { body: " ".repeat(33 * 1024 * 1024) }, [413, 0]],
      [
        "33 MB of nobody knows how many",
        { body: " ".repeat(33 * 1024 * 1024), headers: { "transfer-encoding": "chunked" } },
        [413, 0],
      ],
      ["headers without end", { body: list, headers: { "x-long": "x".repeat(30_000) } }, 431],
    ];
    for (const [name, asked, expected] of table) {
      const { status } = await served.ask({ token: good, ...asked }).catch(() => ({ status: 0 }));
      expect([expected].flat(), `${name}: ${status}`).toContain(status);
    }
    for (const args of [
      { path: "a.ts", __proto__: { path: "x" } },
      { path: deep.slice(0, 2000) },
      { path: "a\0b" },
    ])
      expect((await served.call(good, "read_file", args)).status).toBe(200);
    const forged =
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"__proto__","arguments":{}}}';
    expect((await served.ask({ body: forged, token: good })).body).toContain("there is no tool");
    expect((await served.call(good, "read_file", { path: "a.ts" })).text).toContain("|one");
    expect(served.complaints).toEqual([]);
  });

  test("bytes that are no HTTP, two lengths, a half request: the connection ends, the server goes on", async () => {
    const place = new Place({ "a.ts": four });
    const served = await Served.start(place);
    const { port } = new URL(served.url);
    const said = (text: string) =>
      new Promise<string>((resolve) => {
        let answer = "";
        const socket = connect(Number(port), "127.0.0.1", () => socket.write(text));
        socket.on("data", (part) => {
          answer += part;
        });
        socket.on("error", () => {});
        socket.on("close", () => resolve(answer));
        setTimeout(() => socket.end(), 500);
      });
    const head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n";
    for (const [text, expected] of [
      ["\u0016\u0003\u0001 TLS?\r\n\r\n", /^HTTP\/1\.1 400/],
      [`${head}content-length: 5\r\ncontent-length: 6\r\n\r\n{}`, /^HTTP\/1\.1 400/],
      [`${head}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`, /^HTTP\/1\.1 400/],
      ["GET /healthz HTTP/1.1\r\n\r\n", /^HTTP\/1\.1 400/],
      ["CONNECT evil.example:443 HTTP/1.1\r\nhost: localhost\r\n\r\n", /^$/],
      ["GET http://evil.example/metrics HTTP/1.1\r\nhost: localhost\r\n\r\n", /^HTTP\/1\.1 404/],
      [`${head}content-length: 100\r\n\r\n{`, /^HTTP\/1\.1 (400|401)/],
    ] as const)
      expect(await said(text), text).toMatch(expected);
    expect((await served.ask({ path: "/healthz" })).status).toBe(200);
  });
});

test("clients that leave at any moment leave nothing behind, and the server goes on", async () => {
  const place = new Place({ "a.ts": four });
  const served = await Served.start(place);
  const { port } = new URL(served.url);
  const params = { name: "write_file", arguments: { path: "new.ts", content: "x\n".repeat(5000) } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n";
  const request = `${head}accept: application/json, text/event-stream\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const random = new Random(7);
  for (let at = 0; at < 100; at++) {
    const socket = connect(Number(port), "127.0.0.1", () =>
      socket.write(request.slice(0, random.below(request.length * 1.5))),
    );
    socket.on("error", () => {});
    setTimeout(() => socket.destroy(), random.below(60));
    if (at % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const isCalm = async () =>
    (await served.ask({ path: "/metrics" })).body.includes("kedge_requests_under_way 0");
  await expect.poll(isCalm, { timeout: 30_000 }).toBe(true);
  expect(readdirSync(place.folder).filter((name) => !["a.ts", "new.ts"].includes(name))).toEqual([]);
  expect(place.locks()).toEqual([]);
  expect(served.complaints).toEqual([]);
});

describe("SIGTERM", () => {
  test("lets calls that are under way finish, answers them, and exits 0", async () => {
    const text = `${"x".repeat(60)}\n`.repeat(3000);
    const names = Array.from({ length: 12 }, (_, at) => `f${at}.txt`);
    const place = new Place(Object.fromEntries(names.map((name) => [name, text])));
    const builder = await token(place, "builder");
    const served = await Served.start(place);
    for (const path of names) await served.call(builder, "grep", { pattern: "^x+$", path, max_results: 1 });
    const edits = [{ op: "append", text: "the end" }];
    const under = served.call(builder, "multi_edit", { files: names.map((path) => ({ path, edits })) });
    // Locks alone may be those of a look at the tree, which a server takes in its idle time.
    const isUnderWay = () => readdirSync(place.folder).length > names.length || place.text("f0.txt") !== text;
    await expect.poll(isUnderWay, { interval: 1, timeout: 10_000 }).toBe(true);
    served.child.kill("SIGTERM");
    const answer = await under;
    expect(answer).toMatchObject({ status: 200, isError: false });
    expect(await served.exited).toBe(0);
    for (const name of names) expect(place.text(name)).toBe(`${text}the end\n`);
    expect(served.stdout.trim().split("\n").at(-1)).toContain('"event":"ended"');
    expect(readdirSync(place.folder)).toHaveLength(names.length);
    expect(place.locks()).toEqual([]);
  });

  test("ends a server with idle connections at once, and a second one does not wait", async () => {
    const place = new Place({ "a.ts": four });
    const served = await Served.start(place);
    const { port } = new URL(served.url);
    const sockets = Array.from({ length: 20 }, () => connect(Number(port), "127.0.0.1"));
    for (const socket of sockets) socket.on("error", () => {});
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.on("connect", resolve))));
    expect(await served.stop()).toBe(0);
  });
});

describe("other addresses", () => {
  const hasIPv6 = Object.values(networkInterfaces())
    .flat()
    .some((one) => one?.address === "::1");
  test.skipIf(!hasIPv6)("IPv6: on this machine without a token", async () => {
    const served = await Served.start(new Place({ "a.ts": four }), [], "[::1]:0");
    expect(served.url).toMatch(/^http:\/\/\[::1\]:\d+\/mcp$/);
    expect((await served.call(undefined, "read_file", { path: "a.ts" })).text).toContain("|one");
  });

  test("every interface, behind a proxy that forwards a name", async () => {
    const place = new Place({ "a.ts": four });
    const builder = await token(place, "builder");
    const served = await Served.start(place, ["--behind-proxy", "--host", "kedge.example"], "0.0.0.0:0");
    const forwarded = {
      "x-forwarded-for": "1.2.3.4",
      "x-forwarded-proto": "https",
      "x-forwarded-host": "evil.example",
    };
    const ask = (host: string, given?: string) =>
      served.ask({ body: list, headers: { ...forwarded, host }, ...(given ? { token: given } : {}) });
    expect((await ask("kedge.example", builder)).status).toBe(200);
    expect((await ask("Kedge.Example.:443", builder)).status).toBe(200);
    expect((await ask("kedge.example")).status).toBe(401);
    expect((await ask("other.example", builder)).status).toBe(421);
  });

  const made = spawnSync("openssl", ["version"]).status === 0;
  if (!made) console.log("skipped: a server with TLS: there is no openssl to make a certificate");
  test.skipIf(!made)("TLS, by the names of its certificate", async () => {
    const place = new Place({ "a.ts": four });
    const [key, cert] = [join(place.scratch, "key.pem"), join(place.scratch, "cert.pem")];
    const options = [
      "-x509",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:prime256v1",
      "-nodes",
      "-days",
      "2",
    ];
    const make = (name: string) => {
      const subject = ["-subj", `/CN=${name}`, "-addext", `subjectAltName=DNS:${name}`];
      spawnSync("openssl", ["req", ...options, "-keyout", key, "-out", cert, ...subject]);
      expect(readFileSync(cert, "utf8")).toContain("BEGIN CERTIFICATE");
    };
    make("kedge.example");
    const builder = await token(place, "builder");
    const served = await Served.start(place, ["--tls-cert", cert, "--tls-key", key], "0.0.0.0:0");
    expect(served.url).toMatch(/^https:/);
    const ask = (host: string) => served.ask({ body: list, token: builder, headers: { host } });
    expect((await ask("kedge.example")).status).toBe(200);
    expect((await ask("other.example")).status).toBe(421);
    // Renewed while it runs; what is half written meanwhile is not used.
    const { port } = new URL(served.url);
    const shown = () =>
      new Promise((resolve, reject) => {
        const socket = dial({ host: "127.0.0.1", port: Number(port), rejectUnauthorized: false }, () => {
          resolve(socket.getPeerCertificate().subjectaltname);
          socket.destroy();
        }).on("error", reject);
      });
    expect(await shown()).toBe("DNS:kedge.example");
    const old = readFileSync(cert, "utf8");
    make("other.example");
    const fresh = readFileSync(cert, "utf8");
    writeFileSync(cert, old);
    await served.until(() => served.stderr.includes("the old one stays"));
    expect(served.stderr).toContain("the key is not that of the certificate");
    expect(await shown()).toBe("DNS:kedge.example");
    const other = place.run(["serve", "--http", "0", "--root", ".", "--tls-cert", cert, "--tls-key", key]);
    expect(other.stderr).toContain("are no use: the key is not that of the certificate");
    writeFileSync(cert, fresh);
    await served.until(() => served.stderr.includes("the certificate was renewed"));
    expect(await shown()).toBe("DNS:other.example");
    expect((await ask("other.example")).status).toBe(200);
    expect((await ask("kedge.example")).status).toBe(421);
  });
});
