import { cpSync } from "node:fs";
import { join } from "node:path";
import type { Driver } from "../driver.js";
import { root } from "../root.js";

const contextWindow = 100_000;

/** pi has another name on npm since 0.74, and needs Node 22 since. */
const formerly = ["0.73.1"];

export const pi = (version: string): Driver => ({
  name: `pi-${version}`,
  title: `pi ${version}`,
  client: "pi",
  ...(formerly.includes(version)
    ? { package: `@mariozechner/pi-coding-agent@${version}` }
    : { package: `@earendil-works/pi-coding-agent@${version}`, node: 24 }),
  program: "pi",
  configure(place, url) {
    const model = {
      id: "scripted-model",
      name: "scripted",
      reasoning: false,
      input: ["text"],
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      contextWindow,
      maxTokens: 4000,
    };
    const scripted = { baseUrl: `${url}/v1`, apiKey: "scripted", api: "openai-completions", models: [model] };
    place.putHome(".pi/agent/models.json", `${JSON.stringify({ providers: { scripted } }, null, 2)}\n`);
    // It keeps the latest 20,000 tokens as they are unless told otherwise: more than any conversation here has.
    const settings = {
      compaction: { enabled: true, keepRecentTokens: 1 },
      // Since 0.74 the extensions of a project load only where it is trusted.
      defaultProjectTrust: "always",
    };
    place.putHome(".pi/agent/settings.json", `${JSON.stringify(settings, null, 2)}\n`);
  },
  command: (prompt, { resumes }) => ({
    args: [
      ...["--provider", "scripted", "--model", "scripted-model"],
      ...(resumes ? ["--continue"] : []),
      ...["-p", prompt],
    ],
    env: { PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1" },
  }),
  calls: {
    read: (path, lines) => ({
      tool: "read",
      input: { path, ...(lines ? { offset: lines.first, limit: lines.count } : {}) },
    }),
    edit: (path, oldText, newText) => ({ tool: "edit", input: { path, edits: [{ oldText, newText }] } }),
    write: (path, content) => ({ tool: "write", input: { path, content } }),
    shell: (command) => ({ tool: "bash", input: { command } }),
  },
  plugin(place) {
    cpSync(join(root, "plugins/pi"), join(place.home, ".pi/agent/extensions"), { recursive: true });
  },
  compaction: { by: "resuming", tokens: contextWindow },
  formatter(place, program) {
    const run = `execFileSync(${JSON.stringify(process.execPath)}, [${JSON.stringify(program)}]);`;
    place.putHome(
      ".pi/agent/extensions/formatter.js",
      [
        'import { execFileSync } from "node:child_process";',
        "export default (pi) =>",
        '  pi.on("tool_result", ({ toolName }) => {',
        `    if (toolName === "edit" || toolName === "write") ${run}`,
        "  });",
        "",
      ].join("\n"),
    );
  },
});
