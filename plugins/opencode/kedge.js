// Kedge's guard for opencode. It decides nothing: it hands what tools are about to do, and what they did, to the guard's
// program and obeys the answer.
import { spawn } from "node:child_process";
import { once } from "node:events";
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

/** The answer; `failed` instead if there is none. Nothing printed is silence. */
async function ask(event) {
  try {
    const { node, hook, args } = installed;
    const stdio = ["pipe", "pipe", "ignore"];
    const options = { stdio, timeout: longest };
    const child = spawn(node, [hook, "opencode", ...args], options);
    const printed = [];
    child.stdout.on("data", (chunk) => printed.push(chunk));
    child.stdin.on("error", () => {});
    child.stdin.end(JSON.stringify(event));
    const [status, signal] = await once(child, "close");
    if (status !== 0)
      throw new Error(signal ? `it took over ${longest / 1000} s` : `it ended with ${status}`);
    return JSON.parse(Buffer.concat(printed).toString() || "{}");
  } catch (error) {
    return { failed: error.message };
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
