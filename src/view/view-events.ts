/** Journal entries as the view shows them. */
import type { JournalEntry } from "../ports/index.js";
import type { AgentStep, ViewEvent } from "./contract.js";

/** Tools that run a command: the cause of their entries is the command. */
const commandTools = new Set(["shell", "Bash", "bash", "run_shell_command", "exec_command"]);

export function eventOf(entry: JournalEntry, path: string): ViewEvent {
  const { id, time, kind, agent, tool, lines, relocated = 0, code, cause, edits = [], before, after } = entry;
  const isRestore = kind === "commit" && edits.length > 0;
  return {
    ...{ id, time, kind, agent, tool: isRestore ? "restore" : tool, path, lines, relocated, edits },
    ...{ code: code ?? null, cause: cause ?? null },
    canUndo: (kind === "commit" || kind === "undo") && (before !== null || after !== null),
  };
}

export function stepOf(entry: JournalEntry, path: string): AgentStep {
  const { tool, lines, time, cause } = entry;
  const isCommand = commandTools.has(tool);
  return { tool, path, lines, command: isCommand ? (cause ?? null) : null, time };
}
