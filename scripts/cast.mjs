// docs/cast.svg: a recorded run. Two agents edit, a third runs `git checkout -- .`, both owners are told, and the work comes back. Every
// line of output is what the built program printed, in a scratch repository and with the hook events of Claude Code.
//
//   npm run build && node scripts/cast.mjs
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./shell.mjs";

const scratch = realpathSync(mkdtempSync(join(tmpdir(), "kedge-cast-")));
const work = join(scratch, "shop");
const env = {
  PATH: process.env.PATH,
  HOME: scratch,
  NO_COLOR: "1",
  COLUMNS: "100",
  GIT_CONFIG_GLOBAL: "/dev/null",
};
const rows = [];
let time = 0;

const plain = (text) => text.replaceAll(`${work}/`, "").replaceAll("claude-code:", "").trimEnd();
const kedge = (args, input) =>
  spawnSync(process.execPath, [join(root, "dist/bin.cjs"), ...args], {
    cwd: work,
    env,
    input,
    encoding: "utf8",
  });
const git = (...args) =>
  execFileSync("git", ["-c", "user.name=shop", "-c", "user.email=shop@example.com", ...args], {
    cwd: work,
    env,
  });

/** Sends one event of a conversation to the hook. Returns what the model and the person are told. */
function event(agent, name, values = {}) {
  const common = {
    session_id: agent,
    cwd: work,
    transcript_path: join(scratch, `${agent}.jsonl`),
    permission_mode: "default",
  };
  const { stdout, stderr, status } = kedge(
    ["hook", "claude-code"],
    JSON.stringify({ ...common, hook_event_name: name, ...values }),
  );
  if (status !== 0) throw new Error(`${name} of ${agent}: ${stderr}${stdout}`);
  const said = stdout.trim() === "" ? {} : JSON.parse(stdout);
  const decision = said.hookSpecificOutput?.permissionDecision;
  if (decision === "deny")
    throw new Error(`${agent} was refused: ${said.hookSpecificOutput.permissionDecisionReason}`);
  return said.hookSpecificOutput?.additionalContext ?? "";
}

/** One call of a tool with the events around it; `printed` is what the model gets. */
function tool(agent, tool_name, tool_input, { run, printed }) {
  const call = { tool_name, tool_input, tool_use_id: "toolu_1" };
  event(agent, "PreToolUse", call);
  const told = event(agent, "PostToolUse", { ...call, tool_response: run() });
  const later = event(agent, "PostToolBatch", { tool_calls: [{ ...call, tool_response: printed }] });
  return [told, later].filter((text) => text !== "").join("\n");
}

function read(agent, name) {
  const path = join(work, name);
  const content = readFileSync(path, "utf8");
  const count = content.split("\n").length;
  const file = { filePath: path, content, numLines: count, startLine: 1, totalLines: count };
  const printed = content
    .split("\n")
    .map((line, at) => `${at + 1}\t${line}`)
    .join("\n");
  tool(agent, "Read", { file_path: path }, { run: () => ({ type: "text", file }), printed });
}

function edit(agent, name, [old_string, new_string]) {
  const path = join(work, name);
  const run = () => {
    const originalFile = readFileSync(path, "utf8");
    writeFileSync(path, originalFile.replace(old_string, new_string));
    const done = { filePath: path, oldString: old_string, newString: new_string, originalFile };
    return { ...done, structuredPatch: [], userModified: false, replaceAll: false };
  };
  const printed = `The file ${path} has been updated successfully.`;
  tool(agent, "Edit", { file_path: path, old_string, new_string, replace_all: false }, { run, printed });
  show(1.2, agent, `edits ${name}: ${new_string.trim()}`);
}

function show(wait, agent, words) {
  time += wait;
  rows.push({ time, agent, words });
}

function output(wait, text, colour) {
  // The first paragraph: the rows that are told with it would fill the screen.
  for (const words of wrapped(plain(text.split("\n\n")[0]))) {
    time += wait;
    rows.push({ time, words, colour });
  }
}

const wrapped = (text) =>
  text
    .split("\n")
    .flatMap((line) => line.match(/.{1,98}(?:\s|$)|.{1,98}/g) ?? [""])
    .map((line) => line.trimEnd());

function play() {
  mkdirSync(work);
  writeFileSync(
    join(work, "cart.js"),
    "export function total(prices) {\n  let sum = 0;\n  for (const price of prices) sum += price;\n  return sum;\n}\n",
  );
  writeFileSync(join(work, "tax.js"), "export const tax = 0.2;\nexport const reduced = 0.1;\n");
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "first");
  for (const agent of ["anna", "ben", "carl"]) event(agent, "SessionStart", { source: "startup" });
  read("anna", "cart.js");
  read("ben", "tax.js");
  edit("anna", "cart.js", ["  return sum;", "  return Math.round(sum * 100) / 100;"]);
  edit("ben", "tax.js", ["tax = 0.2;", "tax = 0.25;"]);
  show(1.6, "carl", "runs $ git checkout -- .");
  const run = () => {
    git("checkout", "--", ".");
    return { stdout: "", stderr: "", interrupted: false, isImage: false };
  };
  const told = tool(
    "carl",
    "Bash",
    { command: "git checkout -- .", description: "Start clean" },
    { run, printed: "" },
  );
  output(0.5, told, "told");
  for (const agent of ["anna", "ben"]) {
    show(1.4, agent, "is told, at the next prompt");
    output(0.4, event(agent, "UserPromptSubmit", { prompt: "go on" }), "told");
  }
  show(1.6, "you", "$ kedge restore --all");
  const { stdout, stderr, status } = kedge(["restore", "--all"]);
  if (status !== 0) throw new Error(stderr);
  output(
    0.3,
    stdout
      .split("\n")
      .filter((line) => /^[+-](?![+-])|restored/.test(line))
      .join("\n"),
    "good",
  );
}

const height = 20;
const left = 24;
const colours = {
  anna: "#58a6ff",
  ben: "#d2a8ff",
  carl: "#ff7b72",
  you: "#7ee787",
  told: "#e3b341",
  good: "#7ee787",
};
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

function picture() {
  const all = time + 6;
  const bottom = 64 + rows.length * height;
  const frames = rows.map(({ time: at }, index) => {
    const [off, on] = [(100 * at) / all, (100 * at) / all + 0.5].map((share) => share.toFixed(2));
    return `@keyframes r${index}{0%,${off}%{opacity:0}${on}%,98%{opacity:1}100%{opacity:0}}.r${index}{animation:r${index} ${all.toFixed(1)}s infinite}`;
  });
  const lines = rows.map(({ agent, words, colour }, index) => {
    const y = 60 + index * height;
    const name = agent ? `<tspan fill="${colours[agent]}" font-weight="700">${agent}</tspan> ` : "  ";
    const fill = agent ? "#e6edf3" : (colours[colour] ?? "#9198a1");
    return `<text class="r${index}" x="${left}" y="${y}" fill="${fill}" xml:space="preserve">${name}${escaped(words)}</text>`;
  });
  const title =
    "Two agents edit; a third runs git checkout; both are told; kedge restore --all brings the work back";
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 880 ${bottom}" width="880" height="${bottom}" role="img" aria-label="${title}"><title>${title}</title>
<style>text{font:13px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace}@media (prefers-reduced-motion:no-preference){${frames.join("")}}</style>
<rect width="880" height="${bottom}" rx="10" fill="#0d1117"/><circle cx="24" cy="22" r="6" fill="#ff5f57"/><circle cx="44" cy="22" r="6" fill="#febc2e"/><circle cx="64" cy="22" r="6" fill="#28c840"/>
${lines.join("\n")}
</svg>
`;
}

try {
  play();
  writeFileSync(join(root, "docs/cast.svg"), picture());
  for (const { agent, words } of rows) console.log(agent ? `${agent} ${words}` : `  ${words}`);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
