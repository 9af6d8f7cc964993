import type { Driver } from "../driver.js";

export const geminiCli: Driver = {
  name: "gemini-cli-0.61.0",
  title: "Gemini CLI 0.61.0",
  client: "gemini-cli",
  package: "@google/gemini-cli@0.61.0",
  program: "gemini",
  configure(place) {
    const settings = {
      security: { auth: { selectedType: "gemini-api-key" } },
      privacy: { usageStatisticsEnabled: false },
      general: { disableAutoUpdate: true, disableUpdateNag: true },
      telemetry: { enabled: false },
      // Of a million tokens: a conversation that is resumed is beyond it at once.
      model: { compressionThreshold: 0.0001 },
    };
    place.putHome(".gemini/settings.json", `${JSON.stringify(settings, null, 2)}\n`);
  },
  command: (prompt, { url, resumes }) => ({
    args: [
      ...["-m", "gemini-2.5-pro", "--approval-mode", "yolo"],
      ...(resumes ? ["--resume", "latest"] : []),
      ...["-p", prompt],
    ],
    env: {
      GEMINI_API_KEY: "scripted",
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_CLI_TRUST_WORKSPACE: "true",
    },
  }),
  calls: {
    read: (file_path, lines) => ({
      tool: "read_file",
      input: {
        file_path,
        ...(lines ? { start_line: lines.first, end_line: lines.first + lines.count - 1 } : {}),
      },
    }),
    edit: (file_path, old_string, new_string) => ({
      tool: "replace",
      input: { file_path, old_string, new_string, instruction: "change it" },
    }),
    write: (file_path, content) => ({ tool: "write_file", input: { file_path, content } }),
    shell: (command) => ({ tool: "run_shell_command", input: { command } }),
  },
  compaction: { by: "resuming", tokens: 1_000_000 },
  formatter(place, program) {
    const command = `"${process.execPath}" "${program}"`;
    const hooks = { AfterTool: [{ matcher: "replace|write_file", hooks: [{ type: "command", command }] }] };
    place.put(".gemini/settings.json", `${JSON.stringify({ hooks }, null, 2)}\n`);
  },
};
