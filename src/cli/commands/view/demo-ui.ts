/** A scripted minute of three agents on one tree, for people who look at the page. */
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ReadDetails } from "../../../calls/index.js";
import { findWorkspace } from "../../../host/index.js";
import { Session } from "../../../session/index.js";
import { nodeStore } from "../../../store/index.js";
import { nodeFiles } from "../../../workspace/index.js";
import type { Context } from "../../context.js";
import { startUi } from "./ui.js";

const pause = 4000;
const shortPause = 60;

const session = `import { limits } from "./limits";

export interface Session {
  id: string;
  user: string;
  expires: number;
}

const open = new Map<string, Session>();

export function begin(user: string): Session {
  const session = { id: crypto.randomUUID(), user, expires: Date.now() + limits.age };
  open.set(session.id, session);
  return session;
}

export function find(id: string): Session | undefined {
  const session = open.get(id);
  if (!session) return undefined;
  if (session.expires < Date.now()) return undefined;
  return session;
}

export function end(id: string): void {
  open.delete(id);
}

export function count(user: string): number {
  let found = 0;
  for (const session of open.values()) if (session.user === user) found += 1;
  return found;
}
`;
const login = `import { begin } from "./session";

export async function login(user: string, password: string): Promise<string> {
  const known = await check(user, password);
  if (!known) throw new Error("wrong name or password");
  return begin(user).id;
}

async function check(user: string, password: string): Promise<boolean> {
  return user !== "" && password.length > 7;
}
`;
const readme = `# Harbour

Logs people in.

## Use

Call \`login(user, password)\`; it answers a session id.
`;
const files = { "src/session.ts": session, "src/login.ts": login, "README.md": readme };

const agents = {
  claude: "claude-code:7f3a2b1c-0d4e-4f5a-8b6c-1d2e3f4a5b6c",
  codex: "codex:0199aa11-2b3c-4d5e-8f60-718293a4b5c6",
  opencode: "opencode:ses_5c1e9d2f40ab77",
} as const;

/** Plays the minute in the scratch folder while the page shows it, and leaves the page open. */
export async function playForPage(context: Context, scratch: string): Promise<void> {
  const { args, env, output, interrupt } = context;
  const [work, state, template] = ["harbour", "state", "template"].map((name) => join(scratch, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [work, template]) put(folder);
  const server = await startUi({ ...context, cwd: work, env: { ...env, KEDGE_STATE: state } });
  const tell = async (sentence: string) => {
    output.out.line(output.out.paint("bold", sentence));
    const wait = new Promise<void>((done) => setTimeout(done, args.has("fast") ? shortPause : pause));
    await Promise.race([wait, interrupt.arrived()]);
  };
  const at = (agent: string) => new Actor(work, state, agent);
  await minute(
    { claude: at(agents.claude), codex: at(agents.codex), opencode: at(agents.opencode) },
    tell,
    () => cpSync(template, work, { recursive: true }),
  );
  output.out.line(
    "The page has a button that brings all of it back. Ctrl-C ends the demo and removes its folder.",
  );
  await interrupt.arrived();
  await server.close();
}

function put(folder: string): void {
  mkdirSync(join(folder, "src"), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

/** One agent, with the tools that it would have. */
class Actor {
  private readonly session: Session;
  private readonly anchors = new Map<string, readonly string[]>();

  constructor(work: string, state: string, agent: string) {
    const store = nodeStore({ state, workspace: findWorkspace(work), here: { cwd: work, root: work } });
    const places = nodeFiles({ roots: [work], base: work, state });
    this.session = new Session({ files: places, store, agent, clock: Date.now });
  }

  async read(path: string): Promise<void> {
    const { rows } = (await this.session.read({ path })).details as ReadDetails;
    this.anchors.set(
      path,
      rows.map(({ anchor }) => anchor ?? ""),
    );
  }

  /** Replaces lines by the anchors of the last read, however old. */
  edit(path: string, [start, end]: readonly [number, number], text: string) {
    const anchors = this.anchors.get(path) ?? [];
    const named = { start: anchors[start - 1] ?? "", end: anchors[end - 1] ?? "" };
    return this.session.edit({ path, edits: [{ op: "replace_lines", ...named, text }] });
  }

  ran(command: string): Promise<unknown> {
    return this.session.lostBy({ tool: "Bash", command });
  }
}

type Cast = Readonly<Record<keyof typeof agents, Actor>>;

async function minute(
  { claude, codex, opencode }: Cast,
  tell: (text: string) => Promise<void>,
  reset: () => void,
) {
  await tell("Three agents start in one folder. Each reads what it needs.");
  await Promise.all([
    claude.read("src/session.ts"),
    codex.read("src/session.ts"),
    opencode.read("README.md"),
  ]);
  await codex.read("src/login.ts");
  await opencode.read("src/login.ts");
  await tell(
    "Claude Code rewrites find(). Codex was shown those lines: its strip turns orange, before anything collides.",
  );
  await claude.edit(
    "src/session.ts",
    [17, 22],
    "export function find(id: string): Session | undefined {\n  const session = open.get(id);\n  return session && session.expires >= Date.now() ? session : undefined;\n}",
  );
  await tell("OpenCode explains the limits in the README.");
  await opencode.edit(
    "README.md",
    [7, 7],
    "Call `login(user, password)`; it answers a session id.\nA session ends after an hour.",
  );
  await tell("Codex edits another function of the file. Its lines have moved, and the edit moves with them.");
  await codex.edit(
    "src/session.ts",
    [24, 26],
    "export function end(id: string): boolean {\n  return open.delete(id);\n}",
  );
  await tell(
    "Codex edits what Claude Code has changed: refused, nothing is written, and the answer shows the lines.",
  );
  await codex.edit(
    "src/session.ts",
    [20, 21],
    "  if (!session || session.expires < Date.now()) return undefined;\n  return session;",
  );
  await tell("Codex has seen them now, and leaves them. It limits logins instead.");
  await codex.edit(
    "src/login.ts",
    [4, 5],
    '  const known = await check(user, password);\n  if (!known) await slowDown(user);\n  if (!known) throw new Error("wrong name or password");',
  );
  await tell("Claude Code counts open sessions.");
  await claude.edit(
    "src/session.ts",
    [28, 32],
    "export function count(user: string): number {\n  return [...open.values()].filter((session) => session.user === user).length;\n}",
  );
  await tell(
    "OpenCode copies the template over the tree: cp -R ../template/. . Work of three agents is gone.",
  );
  reset();
  await opencode.ran("cp -R ../template/. .");
}
