import { resolve } from "node:path";
import type { Door } from "../../core/index.js";
import type { Adapter, Event, Payload, Write } from "../event.js";
import { record, sedCommand, text } from "../fields.js";
import { patchWrites } from "../patch.js";
import { claudeReply } from "./claude-code.js";
import { recalled } from "./rollout.js";

/** It reads with the shell alone. */
const door: Door = {
  read: (path, ranges) => `run \`${sedCommand(path, ranges)}\``,
  retry: () => "the patch again",
};

/** `apply_patch <<'EOF'` in a command is done by the client itself; a `cd` before it moves its paths. */
function commandWrites(command: string, cwd: string): Write[] {
  if (!/^\s*(?:cd\s+[^\n;&]+(?:&&|;|\n)\s*)?apply_?patch\b/.test(command)) return [];
  const folder = /^\s*cd\s+(["']?)(.+?)\1\s*(?:&&|;|\n)/.exec(command)?.[2] ?? ".";
  return patchWrites("apply_patch", command).map((write) => ({
    ...write,
    path: resolve(cwd, folder, write.path),
  }));
}

function before(tool: string, command: string, cwd: string): Event[] {
  const writes = tool === "apply_patch" ? patchWrites(tool, command) : commandWrites(command, cwd);
  if (writes.length === 0) return [];
  return [{ kind: "change", writes, ...(tool === "apply_patch" ? {} : { unannounced: true }) }];
}

/** A call from within a script: what it printed went to the script, not to the model. */
const isNested = (payload: Payload): boolean => text(payload, "tool_use_id")?.startsWith("exec-") ?? false;

function after(tool: string, command: string, payload: Payload): Event[] {
  if (tool === "Bash") {
    const output = isNested(payload) ? "" : (text(payload, "tool_response") ?? "");
    return [{ kind: "output", tool, command, output }];
  }
  const writes = tool === "apply_patch" ? patchWrites(tool, command) : [];
  return writes.length > 0 ? [{ kind: "changed", writes, settled: true }] : [];
}

function eventsOf(payload: Payload, cwd: string): Event[] {
  const tool = text(payload, "tool_name") ?? "";
  const command = text(record(payload, "tool_input"), "command") ?? "";
  switch (payload.hook_event_name) {
    case "SessionStart":
      return payload.source === "compact" ? [] : [{ kind: "begin" }];
    case "PostCompact":
      return [{ kind: "fold" }];
    case "UserPromptSubmit":
      return [{ kind: "prompt" }];
    case "PreToolUse":
      return before(tool, command, cwd);
    case "PostToolUse":
      return after(tool, command, payload);
    default:
      return [];
  }
}

export const codex: Adapter = {
  client: "codex",
  door,
  room: 8_000,
  parallel: true,
  tellsBefore: true,
  rewrites: false,
  understand(payload) {
    // As its own commands are told: a subagent is a thread of its own.
    const conversation = text(payload, "agent_id") ?? text(payload, "session_id");
    const cwd = text(payload, "cwd");
    if (conversation === undefined || cwd === undefined) return null;
    const call = text(payload, "tool_use_id");
    return { caller: { conversation, cwd, ...(call ? { call } : {}) }, events: eventsOf(payload, cwd) };
  },
  recall: recalled,
  // It goes on behind the reason with a full stop of its own.
  reply: ({ deny, ...rest }, payload) =>
    claudeReply(deny === undefined ? rest : { ...rest, deny: deny.replace(/\.$/, "") }, payload),
};
