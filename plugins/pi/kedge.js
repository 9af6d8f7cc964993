// Kedge's guard for pi. It decides nothing: it hands what tools are about to do, and what they did, to the guard's
// program and obeys the answer.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const installed = {
  node: process.execPath,
  hook: fileURLToPath(new URL("./dist/hook.cjs", import.meta.url)),
  args: [],
  failClosed: false,
};

const changes = /^(edit|write)$/;
const shows = /^(read|bash|grep)$/;
const longest = 10_000;
/** Characters of what a model was sent: what is longer is not looked through. */
const mostSent = 64 * 1024 * 1024;

/** The guard's program: started with the first question, it answers line by line, and ends when this process does. */
let guard = null;

function started() {
  const { node, hook, args } = installed;
  const child = spawn(node, [hook, "pi", ...args, "--stay"], { stdio: ["pipe", "pipe", "ignore"] });
  const waiting = [];
  let rest = "";
  const gone = (why) => {
    if (guard === made) guard = null;
    for (const { fail } of waiting.splice(0)) fail(new Error(why));
  };
  child.on("error", ({ message }) => gone(message));
  child.on("close", (status, signal) => gone(`it ended with ${signal ?? status}`));
  child.stdin.on("error", () => {});
  child.stdout.setEncoding("utf8").on("data", (piece) => {
    const lines = (rest + piece).split("\n");
    rest = lines.pop();
    for (const line of lines) waiting.shift()?.answer(line);
  });
  // A client that is done does not wait for it.
  for (const one of [child, child.stdin, child.stdout]) one.unref?.();
  const late = () => {
    gone(`it took over ${longest / 1000} s`);
    child.kill();
  };
  const made = {
    question: (text) =>
      new Promise((answer, fail) => {
        const timer = setTimeout(late, longest);
        const done = (settle) => (value) => {
          clearTimeout(timer);
          settle(value);
        };
        waiting.push({ answer: done(answer), fail: done(fail) });
        child.stdin.write(`${text}\n`);
      }),
  };
  return made;
}

/** The answer; `failed` instead if there is none. An empty line is silence. */
async function ask(event) {
  const before = guard;
  guard ??= started();
  try {
    return JSON.parse((await guard.question(JSON.stringify(event))) || "{}");
  } catch (error) {
    // One that somebody ended while nothing was asked is started anew.
    const isOld = before !== null && guard === null && !/^it took/.test(error.message);
    return isOld ? ask(event) : { failed: error.message };
  }
}

export default function kedge(pi) {
  /** What the model is told with the result of a call that was changed before it ran. */
  const pending = new Map();
  let complained = false;

  async function forward(event, ctx) {
    const answer = await ask({ ...event, session: ctx.sessionManager.getSessionId(), cwd: ctx.cwd });
    if (answer.say && ctx.hasUI) ctx.ui.notify(answer.say, "info");
    const complaint = `kedge: not guarding: ${answer.failed}. Run: kedge doctor`;
    if (answer.failed && !complained)
      ctx.hasUI ? ctx.ui.notify(complaint, "warning") : console.error(complaint);
    complained ||= answer.failed !== undefined;
    return answer;
  }

  /** Where the guard finds nothing on record, it looks through what the model was sent. */
  async function decide(event, ctx) {
    const answer = await forward({ ...event, keeps: true }, ctx);
    if (!answer.recall) return answer;
    const sent = { system: ctx.getSystemPrompt?.(), entries: ctx.sessionManager.getBranch() };
    const isTooLarge = JSON.stringify(sent).length > mostSent;
    return forward({ ...event, sent: isTooLarge ? null : sent }, ctx);
  }

  for (const k of ["session_start", "session_before_compact", "session_compact", "session_tree"])
    pi.on(k, async (event, ctx) => {
      await forward({ k, reason: event.reason }, ctx);
    });

  pi.on("tool_call", async ({ toolName, toolCallId, input }, ctx) => {
    if (!changes.test(toolName) && toolName !== "bash") return;
    const { deny, args, append, failed } = await decide({ k: "tool_call", toolName, toolCallId, input }, ctx);
    if (deny !== undefined) return { block: true, reason: deny };
    if (failed !== undefined && installed.failClosed && toolName !== "bash")
      return { block: true, reason: `kedge could not check this call: ${failed}. Run: kedge doctor` };
    if (args) {
      for (const name of Object.keys(input)) delete input[name];
      Object.assign(input, args);
    }
    if (append) pending.set(toolCallId, append);
  });

  pi.on("tool_result", async ({ toolName, toolCallId, input, content, isError, details }, ctx) => {
    if (!changes.test(toolName) && !shows.test(toolName)) return;
    const event = { k: "tool_result", toolName, toolCallId, input, content, isError, details };
    const { append } = await forward(event, ctx);
    const told = [pending.get(toolCallId), append].filter(Boolean).join("\n\n");
    pending.delete(toolCallId);
    if (told) return { content: [...content, { type: "text", text: told }] };
  });
}
