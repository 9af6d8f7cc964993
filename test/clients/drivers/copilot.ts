import { existsSync } from "node:fs";
import type { Driver } from "../driver.js";
import { root } from "../root.js";

const patch = (...body: string[]) => ({
  tool: "apply_patch",
  input: ["*** Begin Patch", ...body, "*** End Patch", ""].join("\n"),
});
const lines = (text: string): string[] => text.replace(/\n$/, "").split("\n");

/** With a model of OpenAI, which gets the tool for patches in the place of those for edits and new files. */
export const copilot: Driver = {
  name: "copilot-1.0.102",
  title: "Copilot CLI 1.0.102",
  client: "copilot",
  package: "@github/copilot@1.0.102",
  program: "copilot",
  node: 24,
  configure(place) {
    place.putHome(".copilot/config.json", JSON.stringify({ trustedFolders: [place.project] }));
  },
  command: (prompt, { url, resumes }) => ({
    args: [...(resumes ? ["--continue"] : []), "-p", prompt, "--allow-all-tools", "--no-color"],
    env: {
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_API_KEY: "scripted",
      COPILOT_MODEL: "gpt-5.5",
      COPILOT_OFFLINE: "true",
      COPILOT_AUTO_UPDATE: "false",
    },
  }),
  calls: {
    read: (path, lines) => ({
      tool: "view",
      input: { path, ...(lines ? { view_range: [lines.first, lines.first + lines.count - 1] } : {}) },
    }),
    edit: (path, oldText, newText) =>
      patch(
        `*** Update File: ${path}`,
        "@@",
        ...lines(oldText).map((line) => `-${line}`),
        ...lines(newText).map((line) => `+${line}`),
      ),
    write: (path, content) =>
      patch(
        // A file that is there is only written over when it is deleted first.
        ...(existsSync(path) ? [`*** Delete File: ${path}`] : []),
        `*** Add File: ${path}`,
        ...lines(content).map((line) => `+${line}`),
      ),
    shell: (command) => ({ tool: "bash", input: { command, description: "run" } }),
    delegate: (prompt) => ({
      tool: "task",
      input: { name: "part", description: "part", prompt, agent_type: "general-purpose" },
    }),
  },
  plugin(_, client) {
    client("plugin", "marketplace", "add", root);
    client("plugin", "install", "kedge@kedge");
  },
  formatter(place, program) {
    const bash = `"${process.execPath}" "${program}"`;
    const hooks = { postToolUse: [{ type: "command", bash, timeoutSec: 10 }] };
    place.putHome(".copilot/hooks/formatter.json", `${JSON.stringify({ version: 1, hooks }, null, 2)}\n`);
  },
};
