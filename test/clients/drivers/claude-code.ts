import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Driver } from "../driver.js";
import { root } from "../root.js";

export const claudeCode = (version: string): Driver => ({
  name: `claude-code-${version}`,
  title: `Claude Code ${version}`,
  client: "claude-code",
  package: `@anthropic-ai/claude-code@${version}`,
  program: "claude",
  configure(place) {
    place.putHome(".claude.json", JSON.stringify({ hasCompletedOnboarding: true }));
  },
  command: (prompt, { url, resumes }) => ({
    args: [
      ...["-p", prompt, "--model", "claude-opus-4-8", "--permission-mode", "acceptEdits"],
      ...["--allowedTools", "Bash", "--output-format", "stream-json", "--verbose"],
      ...(resumes ? ["--continue"] : []),
    ],
    env: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "scripted",
      DISABLE_TELEMETRY: "1",
      DISABLE_ERROR_REPORTING: "1",
      DISABLE_AUTOUPDATER: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      IS_SANDBOX: "1",
    },
  }),
  calls: {
    read: (file_path, lines) => ({
      tool: "Read",
      input: { file_path, ...(lines ? { offset: lines.first, limit: lines.count } : {}) },
    }),
    edit: (file_path, old_string, new_string) => ({
      tool: "Edit",
      input: { file_path, old_string, new_string },
    }),
    write: (file_path, content) => ({ tool: "Write", input: { file_path, content } }),
    shell: (command) => ({ tool: "Bash", input: { command, description: "run" } }),
    delegate: (prompt) => ({
      tool: "Agent",
      input: { description: "part", prompt, subagent_type: "general-purpose", run_in_background: false },
    }),
  },
  plugin(_, client) {
    client("plugin", "validate", root);
    client("plugin", "marketplace", "add", root);
    client("plugin", "install", "kedge@kedge");
  },
  reminders: /\n*<total_tokens>.*<\/total_tokens>|\nAvailable agent types for[\s\S]*$/g,
  ...(version === "2.1.197" ? { refusesFirst: ["stale-elsewhere"] } : {}),
  compaction: { by: "prompt", prompt: "/compact" },
  pointOf(place) {
    const folder = join(place.home, ".claude/projects");
    const [file = ""] = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
      /^[^/]+\/[^/]+\.jsonl$/.test(name),
    );
    const lines = readFileSync(join(folder, file), "utf8").trim().split("\n");
    const answer = lines.map((line) => JSON.parse(line)).findLast(({ type }) => type === "assistant");
    return ["--resume", basename(file, ".jsonl"), "--resume-session-at", answer.uuid];
  },
  isSide: ({ received }) => received.includes("Your task is to create a detailed summary"),
  formatsFirst: true,
  formatter(place, program) {
    const command = `"${process.execPath}" "${program}"`;
    const hooks = { PostToolUse: [{ matcher: "Edit|Write", hooks: [{ type: "command", command }] }] };
    place.put(".claude/settings.json", `${JSON.stringify({ hooks }, null, 2)}\n`);
  },
});
