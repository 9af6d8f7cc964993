import type { Driver } from "../driver.js";
import { root } from "../root.js";

const limit = 50_000;
const quoted = (path: string): string => `'${path.replaceAll("'", `'\\''`)}'`;
const lines = (text: string): string[] => text.replace(/\n$/, "").split("\n");
const patch = (...body: string[]): { tool: string; input: string } => ({
  tool: "apply_patch",
  input: ["*** Begin Patch", ...body, "*** End Patch", ""].join("\n"),
});

const shell = (cmd: string) => ({ tool: "exec_command", input: { cmd } });

export const codex = (version: string): Driver => ({
  name: `codex-${version}`,
  title: `Codex ${version}`,
  client: "codex",
  package: `@openai/codex@${version}`,
  program: "codex",
  configure(place, url) {
    place.putHome(
      ".codex/config.toml",
      [
        'model = "gpt-5.5"',
        'model_provider = "scripted"',
        `model_auto_compact_token_limit = ${limit}`,
        "",
        "[model_providers.scripted]",
        'name = "scripted"',
        `base_url = "${url}/v1"`,
        'wire_api = "responses"',
        'env_key = "SCRIPTED_KEY"',
        "",
        "[analytics]",
        "enabled = false",
        "",
        // Since 0.169 the hooks of a project run only where it is trusted.
        `[projects.${JSON.stringify(place.project)}]`,
        'trust_level = "trusted"',
        "",
      ].join("\n"),
    );
  },
  command: (prompt, { resumes }) => ({
    args: [
      "exec",
      ...["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"],
      ...["--dangerously-bypass-hook-trust", "--json"],
      ...(resumes ? ["resume", "--last"] : []),
      prompt,
    ],
    env: { SCRIPTED_KEY: "scripted" },
  }),
  calls: {
    // It has no tool to read with: a model reads with the shell.
    read: (path, range) =>
      shell(
        range
          ? `sed -n ${range.first},${range.first + range.count - 1}p ${quoted(path)}`
          : `cat ${quoted(path)}`,
      ),
    edit: (path, oldText, newText) =>
      patch(
        `*** Update File: ${path}`,
        "@@",
        ...lines(oldText).map((line) => `-${line}`),
        ...lines(newText).map((line) => `+${line}`),
      ),
    write: (path, content) => patch(`*** Add File: ${path}`, ...lines(content).map((line) => `+${line}`)),
    shell,
  },
  compaction: { by: "tokens", tokens: 2 * limit },
  plugin(_, client) {
    client("plugin", "marketplace", "add", root);
    client("plugin", "add", "kedge@kedge");
  },
  formatter(place, program) {
    const command = `"${process.execPath}" "${program}"`;
    const hooks = { PostToolUse: [{ matcher: "apply_patch", hooks: [{ type: "command", command }] }] };
    place.putHome(".codex/hooks.json", `${JSON.stringify({ hooks }, null, 2)}\n`);
  },
});
