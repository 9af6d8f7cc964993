/** What each client keeps of what its model was sent, in its own form: a file that is only appended to, or a session in memory. */
import { appendFileSync, mkdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type Payload, record, type Who } from "./driver.js";

/** One conversation. */
export abstract class Transcript {
  protected count = 0;

  constructor(
    protected readonly folder: string,
    protected readonly who: Who,
  ) {}

  protected get conversation(): string {
    const { conversation, subagent } = this.who;
    return subagent ? `${conversation}-${subagent}` : conversation;
  }

  /** What a person wrote. */
  abstract prompt(text: string): void;
  /** An instruction file that the client loads itself. */
  abstract instructions(path: string, content: string): void;
  /** A call and its result, as the model got it. */
  abstract result(tool: string, input: Payload, output: string, failed?: boolean): void;
  abstract compact(): void;
  /** A subagent's report. */
  abstract report(text: string): void;

  /** What each event tells of it. */
  get fields(): Payload {
    return {};
  }

  /** What a plugin hands over when it is asked to. */
  get sent(): Payload | null {
    return null;
  }

  /** A file named with @ in a prompt. */
  abstract attached(path: string, content: string): void;

  protected get id(): string {
    return `${this.conversation}-${++this.count}`;
  }

  protected get time(): string {
    return new Date().toISOString();
  }
}

abstract class FileTranscript extends Transcript {
  get path(): string {
    return join(this.folder, `transcript-${this.conversation}.jsonl`);
  }

  override get fields(): Payload {
    return { transcript_path: this.path };
  }

  protected line(entry: Payload): void {
    mkdirSync(dirname(this.path), { recursive: true });
    appendFileSync(this.path, `${JSON.stringify(entry)}\n`);
  }
}

export class ClaudeTranscript extends FileTranscript {
  last: string | null = null;

  private get main(): string {
    return join(this.folder, `transcript-${this.who.conversation}`);
  }

  /** A subagent has a file of its own, that its events do not name. */
  override get path(): string {
    const { subagent } = this.who;
    return subagent ? join(this.main, "subagents", `agent-${subagent}.jsonl`) : `${this.main}.jsonl`;
  }

  override get fields(): Payload {
    return { transcript_path: `${this.main}.jsonl` };
  }

  private entry(values: Payload): void {
    const uuid = this.id;
    const { subagent } = this.who;
    const whose = subagent ? { isSidechain: true, agentId: subagent } : { isSidechain: false };
    this.line({ parentUuid: this.last, ...whose, ...values, uuid, timestamp: this.time });
    this.last = uuid;
  }

  prompt(text: string): void {
    this.entry({ type: "user", message: { role: "user", content: text } });
  }

  instructions(path: string, content: string): void {
    const files = [{ path, type: "Project", content: content.trim() }];
    this.entry({ attachment: { type: "instructions", files }, type: "attachment" });
  }

  attached(path: string, content: string): void {
    const file = { filePath: path, content, numLines: 1, startLine: 1, totalLines: 1 };
    const attachment = { type: "file", filename: path, content: { type: "text", file } };
    this.entry({ attachment, type: "attachment", displayPath: basename(path) });
  }

  result(tool: string, input: Payload, output: string, failed = false): void {
    this.called(tool, input, [{ type: "text", text: output }], { is_error: failed });
  }

  private called(tool: string, input: Payload, content: unknown, told: Payload, more: Payload = {}): void {
    const id = `toolu_${this.id}`;
    const use = { type: "tool_use", id, name: tool, input };
    this.entry({ type: "assistant", message: { id: `msg_${id}`, role: "assistant", content: [use] } });
    const block = { tool_use_id: id, type: "tool_result", content, ...told };
    this.entry({ type: "user", message: { role: "user", content: [block] }, ...more });
  }

  report(text: string): void {
    const head = "[Subagent hand-back] The harness indents every line of the report. The report follows:";
    const shown = `${head}\n${text.replace(/^/gm, "  ")}\nagentId: a1`;
    const toolUseResult = { status: "completed", agentId: "a1", content: [{ type: "text", text }] };
    this.called("Agent", { prompt: "look" }, [{ type: "text", text: shown }], {}, { toolUseResult });
  }

  /** By a build of this version. */
  compact(version?: string): void {
    this.last = null;
    const content = "Conversation compacted";
    this.entry({ type: "system", subtype: "compact_boundary", content, version });
    this.prompt("This session is being continued from a previous conversation.");
  }
}

export class CodexTranscript extends FileTranscript {
  private item(payload: Payload, type = "response_item"): void {
    this.line({ timestamp: this.time, ordinal: this.count++, type, payload });
  }

  prompt(text: string): void {
    this.item({ type: "task_started", turn_id: this.id }, "event_msg");
    this.item({ type: "message", role: "user", content: [{ type: "input_text", text }] });
  }

  instructions(path: string, content: string): void {
    const head = `# AGENTS.md instructions for ${path.slice(0, path.lastIndexOf("/"))}`;
    const text = `${head}\n\n<INSTRUCTIONS>\n${content}\n</INSTRUCTIONS>`;
    this.item({ type: "message", role: "user", content: [{ type: "input_text", text }] });
  }

  /** It puts the path into the prompt, and the model reads the file. */
  attached(path: string, content: string): void {
    this.prompt(`look at ${path}`);
    this.result("exec_command", { command: `cat ${path}` }, content);
  }

  result(tool: string, input: Payload, output: string): void {
    const call_id = `call_${this.id}`;
    const name = tool === "Bash" ? "exec_command" : tool;
    const given = tool === "apply_patch" ? input.command : JSON.stringify({ cmd: input.command, ...input });
    this.item({ type: "function_call", name, arguments: given, call_id });
    const head = "Chunk ID: 708859\nWall time: 0.0000 seconds\nProcess exited with code 0\nOutput:\n";
    const shown = name === "exec_command" ? `${head}${output}` : output;
    this.item({ type: "function_call_output", call_id, output: shown });
  }

  report(text: string): void {
    this.result("wait_agent", { id: "a1" }, text);
  }

  compact(): void {
    this.item({ message: "what was done so far", replacement_history: [] }, "compacted");
  }
}

export class GeminiTranscript extends FileTranscript {
  private message(values: Payload): void {
    this.line({ id: this.id, timestamp: this.time, ...values });
  }

  prompt(text: string): void {
    this.message({ type: "user", content: [{ text }] });
  }

  instructions(path: string, content: string): void {
    const context = `--- Context from: ${path} ---\n${content}\n--- End of Context from: ${path} ---`;
    const text = `<session_context>\n<loaded_context>\n${context}\n</loaded_context>\n</session_context>`;
    const first = { id: this.id, timestamp: this.time, type: "user", content: [{ text }] };
    this.line({ $set: { messages: [first], lastUpdated: this.time } });
  }

  attached(path: string, content: string): void {
    const parts = [
      "\n--- Content from referenced files ---",
      `\nContent from @${path}:\n`,
      content.trimEnd(),
    ];
    const texts = [`look at @${path}`, ...parts, "\n--- End of content ---"].map((text) => ({ text }));
    this.message({ type: "user", content: texts });
  }

  result(tool: string, input: Payload, output: string, failed = false): void {
    const id = `${tool}_${this.id}`;
    const toolCalls = [{ id, name: tool, args: input, status: failed ? "error" : "success" }];
    this.message({ type: "gemini", content: "", toolCalls });
    const response = failed ? { error: output } : { output };
    this.message({ type: "user", content: [{ functionResponse: { id, name: tool, response } }] });
  }

  report(text: string): void {
    this.result("invoke_agent", { name: "look" }, `Subagent finished.\nResult:\n${text}`);
  }

  compact(): void {
    const content = [{ text: "<state_snapshot>what was done so far</state_snapshot>" }];
    this.line({ $set: { messages: [{ id: this.id, type: "user", content }] } });
  }
}

export class QwenTranscript extends FileTranscript {
  /** A subagent has a file of its own, that its events do not name. */
  override get path(): string {
    const { conversation, subagent } = this.who;
    const own = subagent ? `subagents/${conversation}/agent-${subagent}` : `chats/${conversation}`;
    return join(this.folder, `${own}.jsonl`);
  }

  override get fields(): Payload {
    return { transcript_path: join(this.folder, "chats", `${this.who.conversation}.jsonl`) };
  }

  private message(type: string, parts: readonly Payload[]): void {
    this.line({ uuid: this.id, timestamp: this.time, type, message: { role: "user", parts } });
  }

  prompt(text: string): void {
    this.message("user", [{ text }]);
  }

  instructions(path: string, content: string): void {
    this.prompt(`--- Context from: ${path} ---\n${content}\n--- End of Context from: ${path} ---`);
  }

  attached(path: string, content: string): void {
    const head = "\n--- Content from referenced files ---";
    const texts = [
      `look at @${path}`,
      head,
      `\nContent from ${path}:\n`,
      content,
      "\n--- End of content ---",
    ];
    this.message(
      "user",
      texts.map((text) => ({ text })),
    );
  }

  result(tool: string, args: Payload, output: string, failed = false): void {
    const id = `call_${this.id}`;
    this.message("assistant", [{ functionCall: { id, name: tool, args } }]);
    const response = failed ? { error: output } : { output };
    this.message("tool_result", [{ functionResponse: { id, name: tool, response } }]);
  }

  report(text: string): void {
    this.prompt(
      `<task-notification>\n<status>completed</status>\n<result>${text}</result>\n</task-notification>`,
    );
  }

  compact(): void {
    this.line({ uuid: this.id, type: "system", subtype: "chat_compression", systemPayload: {} });
  }
}

/** One file for each conversation, with the events of its subagents, in a folder that no event names. */
export class CopilotTranscript extends FileTranscript {
  override get path(): string {
    return join(this.folder, "home/.copilot/session-state", this.who.conversation, "events.jsonl");
  }

  override get fields(): Payload {
    return {};
  }

  private event(type: string, data: Payload): void {
    const { subagent } = this.who;
    const whose = subagent ? { agentId: subagent } : {};
    this.line({ type, data, ...whose, id: this.id, timestamp: this.time, parentId: null });
  }

  prompt(text: string): void {
    this.event("user.message", { content: text, transformedContent: `<current_datetime/>\n\n${text}` });
  }

  instructions(path: string, content: string): void {
    const shown = `<custom_instruction path="${path}">\n${content}\n</custom_instruction>`;
    this.event("system.message", { role: "system", content: shown });
  }

  /** The model reads the file itself. */
  attached(path: string, content: string): void {
    this.prompt(`look at @${path}`);
    this.result("view", { path }, content);
  }

  result(tool: string, input: Payload, output: string, failed = false): void {
    const toolCallId = `call_${this.id}`;
    this.event("tool.execution_start", { toolCallId, toolName: tool, arguments: input });
    const come = failed ? { error: { message: output } } : { result: { content: output } };
    this.event("tool.execution_complete", { toolCallId, success: !failed, ...come });
  }

  report(text: string): void {
    this.result("task", { prompt: "look" }, text);
  }

  compact(): void {
    this.event("session.compaction_complete", { success: true });
  }
}

export class OpencodeTranscript extends Transcript {
  private system: string[] = ["You are opencode."];
  private messages: Payload[] = [];

  private message(role: string, parts: readonly Payload[]): void {
    this.messages.push({ info: { id: this.id, role, sessionID: this.conversation }, parts });
  }

  prompt(text: string): void {
    this.message("user", [{ type: "text", text }]);
  }

  instructions(path: string, content: string): void {
    this.system = [...this.system, `Instructions from: ${path}\n${content}`];
  }

  attached(path: string, content: string): void {
    const rows = content.replace(/\n$/, "").split("\n");
    const shown = rows.map((text, at) => `${at + 1}: ${text}`).join("\n");
    const called = `Called the Read tool with the following input: {"filePath":"${path}"}`;
    const texts = [called, `<path>${path}</path>\n<content>\n${shown}\n</content>`];
    this.message(
      "user",
      texts.map((text) => ({ type: "text", synthetic: true, text })),
    );
  }

  result(tool: string, input: Payload, output: string, failed = false): void {
    const time = { start: Date.now(), end: Date.now() };
    const state = failed
      ? { status: "error", input, error: output, time }
      : { status: "completed", input, output, time };
    this.message("assistant", [{ type: "tool", tool, callID: this.id, state }]);
  }

  report(text: string): void {
    this.result("task", { prompt: "look" }, `<task_result>\n${text}\n</task_result>`);
  }

  compact(): void {
    this.messages = [];
    this.prompt("What did we do so far?");
  }

  override get sent(): Payload {
    return { system: this.system, messages: this.messages };
  }
}

export class PiTranscript extends Transcript {
  private system = "You are pi.";
  private readonly entries: Payload[] = [];

  private entry(values: Payload): string {
    const id = this.id;
    this.entries.push({ id, timestamp: this.time, ...values });
    return id;
  }

  prompt(text: string): void {
    this.entry({ type: "message", message: { role: "user", content: [{ type: "text", text }] } });
  }

  instructions(path: string, content: string): void {
    this.system += `\n\n# Project Context\n\n## ${path}\n\n${content}\n\n`;
  }

  /** It puts the files before the prompt. */
  attached(path: string, content: string): void {
    this.prompt(`<file name="${path}">\n${content}\n</file>\nlook at it`);
  }

  result(tool: string, input: Payload, output: string, failed = false): void {
    const id = `call_${this.id}`;
    const made = [{ type: "toolCall", id, name: tool, arguments: input }];
    this.entry({ type: "message", message: { role: "assistant", content: made } });
    const content = [{ type: "text", text: output }];
    const message = { role: "toolResult", toolCallId: id, toolName: tool, content, isError: failed };
    this.entry({ type: "message", message });
  }

  report(text: string): void {
    this.result("subagent", { task: "look" }, text);
  }

  compact(): void {
    this.entry({ type: "compaction", summary: "what was done so far", firstKeptEntryId: "none" });
  }

  override get sent(): Payload {
    return { system: this.system, entries: this.entries };
  }
}

type Kind = new (folder: string, who: Who) => Transcript;

export const transcripts: Readonly<Record<string, Kind>> = {
  "claude-code": ClaudeTranscript,
  codex: CodexTranscript,
  "gemini-cli": GeminiTranscript,
  opencode: OpencodeTranscript,
  pi: PiTranscript,
  "qwen-code": QwenTranscript,
  copilot: CopilotTranscript,
};

/** The tool of a call, and its arguments, in whatever form a client tells of it. */
export function calledIn(payload: Payload): { readonly tool: string; readonly input: Payload } {
  const tool = payload.tool_name ?? payload.toolName ?? record(payload.i).tool;
  return {
    tool: String(tool),
    input: record(payload.tool_input ?? payload.toolArgs ?? payload.input ?? record(payload.o).args),
  };
}
