import { cpSync } from "node:fs";
import { join } from "node:path";
import type { Driver } from "../driver.js";
import { root } from "../root.js";

const context = 100_000;

export const opencode: Driver = {
  name: "opencode-1.18.33",
  title: "opencode 1.18.33",
  client: "opencode",
  package: "opencode-ai@1.18.33",
  program: "opencode",
  configure(place, url) {
    // It asks npm's registry for its plugin package, and would wait more than a minute where there is none.
    place.putHome(".npmrc", "fetch-retries=0\n");
    const models = {
      "scripted-model": { name: "scripted", limit: { context, output: 4000 }, tool_call: true },
    };
    const provider = {
      npm: "@ai-sdk/openai-compatible",
      options: { baseURL: `${url}/v1`, apiKey: "scripted" },
      models,
    };
    const settings = {
      $schema: "https://opencode.ai/config.json",
      autoupdate: false,
      share: "disabled",
      // Its own copies of the project after every step: they play no part here and take longer than all else.
      snapshot: false,
      model: "scripted/scripted-model",
      small_model: "scripted/scripted-model",
      provider: { scripted: provider },
      permission: { edit: "allow", bash: "allow", external_directory: "allow" },
    };
    place.putHome(".config/opencode/opencode.json", `${JSON.stringify(settings, null, 2)}\n`);
  },
  command: (prompt, { resumes }) => ({
    args: ["run", "--format", "json", ...(resumes ? ["--continue"] : []), prompt],
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
    },
  }),
  calls: {
    read: (filePath, lines) => ({
      tool: "read",
      input: { filePath, ...(lines ? { offset: lines.first, limit: lines.count } : {}) },
    }),
    edit: (filePath, oldString, newString) => ({ tool: "edit", input: { filePath, oldString, newString } }),
    write: (filePath, content) => ({ tool: "write", input: { filePath, content } }),
    shell: (command) => ({ tool: "bash", input: { command, description: "run" } }),
    delegate: (prompt) => ({
      tool: "task",
      input: { description: "part", prompt, subagent_type: "general" },
    }),
  },
  compaction: { by: "tokens", tokens: context },
  plugin(place) {
    cpSync(join(root, "plugins/opencode"), join(place.home, ".config/opencode/plugin"), { recursive: true });
  },
  formatsFirst: true,
  formatter(place, program) {
    const semicolons = { command: [process.execPath, program], extensions: [".ts"] };
    place.put("opencode.json", `${JSON.stringify({ formatter: { semicolons } }, null, 2)}\n`);
  },
};
