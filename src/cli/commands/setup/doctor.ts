import { agentIdentity, findProgram, findWorkspace, stateFolder } from "../../../host/index.js";
import { nodeStore } from "../../../store/index.js";
import { displayName, visible } from "../../../text/index.js";
import { treeOnRecord } from "../../../tree/index.js";
import { loadConfig, settingVariables } from "../../../workspace/index.js";
import type { Context, Run } from "../../context.js";
import { type Finding, guardedClients, variablesInSettings } from "../../doctor/clients.js";
import { selfTest } from "../../doctor/self-test.js";
import { type HeldLock, stateHealth } from "../../doctor/state.js";
import { storeHealth } from "../../doctor/store.js";
import { done, failed } from "../../flag-types.js";
import { wrap } from "../../print/output.js";

const oldestNode = [20, 19] as const;
const indent = 19;

export const run: Run = async (context) => {
  const { args, output } = context;
  const { out } = output;
  let healthy = true;
  for (const [name, check] of Object.entries(checks)) {
    for (const finding of await attempt(name, check, context)) {
      healthy &&= finding.ok;
      if (args.has("json")) out.line(JSON.stringify(finding));
      else show(shownOf(finding), context);
    }
  }
  if (!args.has("json")) out.line(healthy ? "\nall is well" : "\nnot all is well: see above");
  return healthy ? done : failed;
};

type Check = (context: Context) => Finding[] | Promise<Finding[]>;

const checks: Readonly<Record<string, Check>> = {
  Node: node,
  configuration,
  "state folder": state,
  record,
  store: storeHealth,
  "working tree": tree,
  locks,
  search,
  caller,
  clients: guardedClients,
  "self-test": trial,
};

async function attempt(name: string, check: Check, context: Context): Promise<Finding[]> {
  try {
    return await check(context);
  } catch (error) {
    return [{ check: name, ok: false, found: error instanceof Error ? error.message : String(error) }];
  }
}

/** Paths and names of agents are in it. */
const shownOf = ({ found, advice, ...rest }: Finding): Finding => ({
  ...{ ...rest, found: visible(found) },
  ...(advice === undefined ? {} : { advice: visible(advice) }),
});

function show({ check, ok, found, advice }: Finding, { output: { out } }: Context): void {
  const mark = ok ? out.paint("green", "ok") : out.paint("red", "!!");
  const pad = " ".repeat(indent);
  const width = out.isTerminal ? Math.max(40, out.columns - indent) : Number.POSITIVE_INFINITY;
  const lines = wrap(found, width);
  out.line(`${mark}  ${check.padEnd(indent - 4)}${lines.join(`\n${pad}`)}`);
  if (advice) for (const line of wrap(advice, width)) out.line(pad + out.paint(ok ? "dim" : "yellow", line));
}

function node(): Finding[] {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const ok = major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1]);
  const found = `${process.version} on ${process.platform} ${process.arch}`;
  return [
    { check: "Node", ok, found, ...(ok ? {} : { advice: `install Node ${oldestNode.join(".")} or newer` }) },
  ];
}

function configuration(context: Context): Finding[] {
  const { env, cwd } = context;
  const { root } = findWorkspace(cwd);
  const { sources } = loadConfig({ env, workspace: root });
  const set = Object.entries(sources).map(([key, where]) => `${key} (${where})`);
  const all = { check: "configuration", ok: true };
  return [{ ...all, found: set.length > 0 ? set.join(", ") : "defaults" }, ...asked(context, root, all)];
}

/** Lists settings that a project asks for in vain, and variables that a client would set for it. */
function asked(context: Context, root: string, all: Omit<Finding, "found">): Finding[] {
  const { env } = context;
  const names = [...settingVariables, "KEDGE_STATE", "KEDGE_SESSION"];
  const inHook = Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)));
  const { vain, unkept } = loadConfig({ env: inHook, workspace: root, hook: true });
  const found = vain.map((one) => ({ ...all, found: one, advice: "only your own configuration may loosen" }));
  const kept = `the project keeps the text of ${visible(unkept.join(", "))} out of the record`;
  const advice = "edits lost there cannot be restored";
  const variables = variablesInSettings(context).map(({ name, where }) => ({
    ...{ ...all, found: `${visible(where)} sets ${name}` },
    advice: /STATE|SESSION/.test(name)
      ? "the guard ignores it"
      : "in the guard it can only make things stricter",
  }));
  return [...found, ...(unkept.length > 0 ? [{ ...all, found: kept, advice }] : []), ...variables];
}

function state({ env }: Context): Finding[] {
  const notes: string[] = [];
  const folder = stateFolder({ env, report: (line) => notes.push(line) });
  const { files, bytes, isPrivate, isWritable, damaged, unfinished } = stateHealth(folder, Date.now());
  const found = `${folder}: ${(bytes / 1_000_000).toFixed(1)} MB in ${files.toLocaleString("en")} ${files === 1 ? "file" : "files"}`;
  const findings: Finding[] = [];
  const problem = (what: string, advice: string): void =>
    void findings.push({ check: "state folder", ok: false, found: what, advice });
  for (const note of notes) problem(note, "make it writable, or set KEDGE_STATE to a folder that is");
  if (!isWritable) problem(`${folder} cannot be written`, `make it writable: chmod u+rwx ${folder}`);
  if (!isPrivate) problem(`others can read ${folder}`, `chmod 700 ${folder}`);
  if (damaged > 0)
    problem(
      `${damaged === 1 ? "1 damaged file was" : `${damaged} damaged files were`} put aside in ${folder}/damaged`,
      "work goes on without; look into it if you like, then delete that folder",
    );
  if (unfinished > 0)
    problem(
      `${unfinished === 1 ? "1 batch is" : `${unfinished} batches are`} under way or unfinished`,
      "the next call on one of the files finishes or undoes it",
    );
  return [{ check: "state folder", ok: true, found }, ...findings];
}

/** Says what of the working tree is on record, if anybody ever looked at it. */
async function tree({ env, cwd }: Context): Promise<Finding[]> {
  const workspace = findWorkspace(cwd);
  const store = nodeStore({ state: stateFolder({ env }), workspace, report: () => {} });
  const found = await treeOnRecord(store, workspace.root);
  if (!found) return [];
  const { kept, left, isNarrow } = found;
  const check = "working tree";
  const files = `${kept} uncommitted ${kept === 1 ? "file is" : "files are"} on record`;
  const findings: Finding[] = [{ check, ok: true, found: files }];
  if (left > 0) findings.push({ check, ok: true, found: `${left} more are not: too many, or too large` });
  if (isNarrow)
    findings.push({
      ...{
        check,
        ok: true,
        found: "looking at all of it takes too long: only files on record are looked at",
      },
      advice: "ignore folders of files that are no work, such as build products",
    });
  return findings;
}

/** Checks the record of this workspace. */
async function record({ env, cwd }: Context): Promise<Finding[]> {
  const notes: string[] = [];
  const workspace = findWorkspace(cwd);
  const store = nodeStore({ state: stateFolder({ env }), workspace, report: (line) => notes.push(line) });
  const { lines, records } = await store.damage();
  const findings = notes.map((found): Finding => ({ check: "record", ok: false, found }));
  const problem = (found: string, advice: string): void =>
    void findings.push({ check: "record", ok: false, found, advice });
  if (lines > 0)
    problem(
      `${lines === 1 ? "1 line" : `${lines} lines`} of this workspace's journal cannot be read`,
      "they are passed over: those edits cannot be undone or restored; kedge session purge begins a new journal",
    );
  if (records > 0)
    problem(
      `${records === 1 ? "1 record" : `${records} records`} of this workspace cannot be read`,
      "the next call that needs one puts it aside, and asks for the file to be read again",
    );
  return findings.length > 0 ? findings : [{ check: "record", ok: true, found: "can be read" }];
}

const longSilence = 15_000;

function locks({ env }: Context): Finding[] {
  const held = stateHealth(stateFolder({ env }), Date.now()).locks;
  if (held.length === 0) return [{ check: "locks", ok: true, found: "none held" }];
  return held.map((lock) => {
    const alive = lock.silent < longSilence;
    const advice =
      "if that process has ended, the next call on the file breaks the lock; else end the process";
    return { check: "locks", ok: alive, found: lockLine(lock), ...(alive ? {} : { advice }) };
  });
}

function lockLine({ path, pid, host, silent }: HeldLock): string {
  const quiet = silent > longSilence ? `, silent for ${Math.round(silent / 1000)} s` : "";
  return `${path} is held by process ${pid ?? "?"} on ${host}${quiet}`;
}

function search({ env }: Context): Finding[] {
  const program = findProgram("rg", { searchPath: env.PATH });
  const found = program ? `ripgrep at ${program}` : "ripgrep is not on the PATH";
  const advice = "grep gives the same results without it, more slowly in large trees";
  return [{ check: "search", ok: true, found, ...(program ? {} : { advice }) }];
}

async function caller({ env }: Context): Promise<Finding[]> {
  const { id, source } = await agentIdentity({ env });
  const advice = "nothing tells callers apart: set KEDGE_SESSION, or give --session in every call";
  const found = `${displayName(id)}, known by ${source}`;
  return [{ check: "caller", ok: source !== "shared", found, ...(source === "shared" ? { advice } : {}) }];
}

async function trial(): Promise<Finding[]> {
  const started = performance.now();
  const wrong = await selfTest();
  const taken = `${Math.round(performance.now() - started)} ms`;
  const found = wrong ?? `read, moved edit, refusal and undo in a scratch folder: ${taken}`;
  const advice = "please report this, with the output of kedge --version";
  return [{ check: "self-test", ok: wrong === null, found, ...(wrong ? { advice } : {}) }];
}
