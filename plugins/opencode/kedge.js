// Kedge's guard for opencode. It decides nothing: it hands what tools are about to do, and what they did, to the guard's
// program and obeys the answer.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const installed = {
  node: "node",
  hook: fileURLToPath(new URL("./dist/hook.cjs", import.meta.url)),
  args: [],
  failClosed: false,
};

const changes = /^(edit|write|multiedit|patch|apply_patch)$|kedge/;
const shows = /^(read|bash|grep)$/;
const longest = 10_000;
/** Characters of what a model was sent: what is longer is not looked through. */
const mostSent = 64 * 1024 * 1024;

/** The guard's program: started with the first question, it answers line by line, and ends when this process does. */
let guard = null;

function started() {
  const { node, hook, args } = installed;
  const child = spawn(node, [hook, "opencode", ...args, "--stay"], { stdio: ["pipe", "pipe", "ignore"] });
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

export const Kedge = async ({ client, directory }) => {
  const reverts = new Set();
  /** What the model is told with the result of a call that was changed before it ran. */
  const pending = new Map();
  /** What each conversation's model was sent with the last request, by reference: nothing is copied. */
  const prompts = new Map();
  const requests = new Map();
  let complained = false;
  /** opencode does not wait for events: what comes after one waits for it here. */
  let events = Promise.resolve();

  async function say(message) {
    try {
      await client.tui.showToast({ body: { title: "kedge", message, variant: "info", duration: 5000 } });
    } catch {
      // There is no screen.
    }
  }

  async function forward(event) {
    const answer = await ask({ ...event, directory });
    if (answer.say) say(answer.say);
    if (answer.failed && !complained) say(`kedge: not guarding: ${answer.failed}. Run: kedge doctor`);
    complained ||= answer.failed !== undefined;
    return answer;
  }

  /** Where the guard finds nothing on record, it looks through what the model was sent. */
  async function decide(event) {
    const answer = await forward({ ...event, keeps: true });
    if (!answer.recall) return answer;
    const { sessionID } = event.i;
    const sent = { system: prompts.get(sessionID) ?? [], messages: requests.get(sessionID) ?? [] };
    const isTooLarge = JSON.stringify(sent).length > mostSent;
    return forward({ ...event, sent: isTooLarge ? null : sent });
  }

  /** A conversation of its own begins, is compacted, or is taken back. */
  function isWanted({ type, properties }) {
    const { id, parentID, revert } = properties?.info ?? {};
    if (type === "session.created") return !parentID;
    if (type !== "session.updated" || !revert) return type === "session.compacted";
    const place = `${id} ${revert.messageID}`;
    return !reverts.has(place) && reverts.add(place);
  }

  return {
    event: async ({ event }) => {
      if (isWanted(event)) events = events.then(() => forward({ k: "event", i: event }));
      await events;
    },
    "experimental.chat.system.transform": async ({ sessionID }, { system }) => {
      prompts.set(sessionID, system);
    },
    "experimental.chat.messages.transform": async (_, { messages }) => {
      requests.set(messages.at(-1)?.info.sessionID, messages);
    },
    "tool.execute.before": async (i, o) => {
      if (!changes.test(i.tool) && i.tool !== "bash") return;
      await events;
      const { deny, args, append, failed } = await decide({ k: "before", i, o });
      if (deny !== undefined) throw new Error(deny);
      if (failed !== undefined && installed.failClosed && i.tool !== "bash")
        throw new Error(`kedge could not check this call: ${failed}. Nothing was written. Run: kedge doctor`);
      if (args) {
        for (const name of Object.keys(o.args)) delete o.args[name];
        Object.assign(o.args, args);
      }
      if (append) pending.set(i.callID, append);
    },
    "tool.execute.after": async (i, o) => {
      if (!changes.test(i.tool) && !shows.test(i.tool)) return;
      await events;
      const { append } = await forward({ k: "after", i, o });
      const told = [pending.get(i.callID), append].filter(Boolean).join("\n\n");
      pending.delete(i.callID);
      if (told && typeof o.output === "string") o.output += `\n\n${told}`;
      else if (told && Array.isArray(o.content)) o.content.push({ type: "text", text: told });
    },
  };
};
