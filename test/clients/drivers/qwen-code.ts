import type { Driver } from "../driver.js";

export const qwenCode: Driver = {
  name: "qwen-code-0.24.4",
  title: "Qwen Code 0.24.4",
  client: "qwen-code",
  package: "@qwen-code/qwen-code@0.24.4",
  program: "qwen",
  node: 24,
  configure(place) {
    const settings = {
      security: { auth: { selectedType: "openai" } },
      privacy: { usageStatisticsEnabled: false },
      general: { disableAutoUpdate: true, enableAutoUpdate: false },
      telemetry: { enabled: false },
      model: { name: "scripted-model" },
    };
    place.putHome(".qwen/settings.json", `${JSON.stringify(settings, null, 2)}\n`);
  },
  command: (prompt, { url, resumes }) => ({
    args: [...["--approval-mode", "yolo"], ...(resumes ? ["--continue"] : []), "-p", prompt],
    env: { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: "scripted", OPENAI_MODEL: "scripted-model" },
  }),
  calls: {
    read: (file_path, lines) => ({
      tool: "read_file",
      input: { file_path, ...(lines ? { offset: lines.first - 1, limit: lines.count } : {}) },
    }),
    edit: (file_path, old_string, new_string) => ({
      tool: "edit",
      input: { file_path, old_string, new_string },
    }),
    write: (file_path, content) => ({ tool: "write_file", input: { file_path, content } }),
    shell: (command) => ({ tool: "run_shell_command", input: { command, is_background: false } }),
  },
  refusesFirst: ["stale-elsewhere"],
  // It wants files to be read by its own tool, and again after every change by others.
  refusesAnyway: ["shell-read", "formatter"],
  formatsFirst: true,
  formatter(place, program) {
    const command = `"${process.execPath}" "${program}"`;
    const hooks = { PostToolUse: [{ matcher: "edit|write_file", hooks: [{ type: "command", command }] }] };
    place.put(".qwen/settings.json", `${JSON.stringify({ hooks }, null, 2)}\n`);
  },
};
