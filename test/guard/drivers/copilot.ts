import { existsSync } from "node:fs";
import {
  type Action,
  type Call,
  captured,
  type Driver,
  nothing,
  only,
  type Payload,
  record,
  type Section,
  textOf,
  type Who,
  withValues,
} from "./driver.js";
import { callWith, done } from "./driver-base.js";
import { at, type Failure, load, replaced, searched, shell, store } from "./files.js";
import { applyPatch, parsePatch, patchText } from "./patch.js";

const version = "copilot-1.0.102";

/** A subagent has a session of its own, and is told whose it is. */
function payload(name: string, { conversation, subagent, cwd }: Who, values: Payload): Payload {
  const inside = subagent
    ? { agentId: subagent, agentType: "general-purpose", parentAgentId: conversation }
    : {};
  const own = { sessionId: subagent ?? conversation, cwd, ...inside };
  return withValues(captured(`${version}/${name}`), { ...own, ...values });
}

interface Tool {
  readonly toolName: string;
  readonly toolArgs: unknown;
  readonly who: Who;
}

/** `run` gives what the tool shows, with the arguments that it was called with. */
function called({ toolName, toolArgs, who }: Tool, run: (input: Payload) => string | Failure): Call {
  return {
    before: payload("preToolUse-edit", who, { toolName, toolArgs }),
    run(rewritten) {
      const used = rewritten ?? toolArgs;
      const made = run(record(used));
      const call = { toolName, toolArgs: used };
      if (typeof made !== "string") {
        const told = (): Payload[] => [
          payload("postToolUseFailure-edit", who, { ...call, error: made.failed }),
        ];
        return done(made.failed, told, made.failed);
      }
      const toolResult = { resultType: "success", textResultForLlm: made };
      return done(made, () => [payload("postToolUse-edit", who, { ...call, toolResult })]);
    },
  };
}

const largest = 20 * 1024;

function read({ path, lines }: Extract<Action, { do: "read" }>, who: Who): Call {
  const toolArgs = { path, ...(lines ? { view_range: [lines.first, lines.last] } : {}) };
  return called({ toolName: "view", toolArgs, who }, () => {
    const found = load(at(who, path));
    if (!found) return { failed: "Path does not exist" };
    if (!lines && found.text.length > largest)
      return "File too large to read at once (145.4 KB). Consider using the grep tool.";
    if (!lines) return found.text;
    const all = found.text.split("\n");
    const shown = all.slice(lines.first - 1, lines.last).join("\n");
    if (shown.length <= largest) return shown;
    const part = shown.slice(0, largest);
    const next = lines.first + part.split("\n").length;
    return `${part}\n\n[Output truncated. Use view_range=[${next}, ...] to continue reading. File has at least ${all.length} lines.]`;
  });
}

function edit({ path, edits }: Extract<Action, { do: "edit" }>, who: Who): Call {
  const [one] = edits;
  return called(
    { toolName: "edit", toolArgs: { path, old_str: one?.old, new_str: one?.new }, who },
    (used) => {
      const found = load(at(who, path));
      if (!found) return { failed: "Path does not exist" };
      const text = replaced(found.text, [{ old: String(used.old_str), new: String(used.new_str) }]);
      if (typeof text !== "string") return text;
      store(at(who, path), text, found);
      return `File ${path} updated with changes.`;
    },
  );
}

function patch(sections: readonly Section[], who: Who): Call {
  const text = patchText(sections);
  return called({ toolName: "apply_patch", toolArgs: text, who }, () => applyPatch(parsePatch(text), who));
}

/** The tool for new files refuses one that is there; a patch that deletes and adds it writes it over. */
function write({ path, content }: Extract<Action, { do: "write" }>, who: Who): Call {
  if (existsSync(at(who, path)))
    return patch(
      [
        { do: "delete", path },
        { do: "add", path, content },
      ],
      who,
    );
  return called({ toolName: "create", toolArgs: { path, file_text: content }, who }, () => {
    store(at(who, path), content, null);
    return `Created file ${path} with ${content.length} characters`;
  });
}

function bash({ command }: Extract<Action, { do: "shell" }>, who: Who): Call {
  return called({ toolName: "bash", toolArgs: { command, description: "run it" }, who }, () => {
    const { stdout, stderr, status } = shell(command, who.cwd);
    const output = `${stdout}${stderr}`.replace(/\n$/, "");
    if (output.length > largest)
      return `Output too large to read at once (106.3 KB). Saved to: /tmp/out.txt\nConsider using rg.\n\nPreview (first 500 chars):\n${output.slice(0, 500)}`;
    return `${output}\n<shellId: 0 completed with exit code ${status}>`;
  });
}

function grep({ pattern, path }: Extract<Action, { do: "grep" }>, who: Who): Call {
  const toolArgs = { pattern, path, output_mode: "content", "-n": true };
  return called({ toolName: "rg", toolArgs, who }, () =>
    searched(pattern, at(who, path))
      .map(({ file, line, text }) => `${file}:${line}:${text}`)
      .join("\n"),
  );
}

export const copilot: Driver = {
  client: "copilot",
  versions: [version],
  can: new Set(["subagents", "patch", "grep", "rewriting", "failures", "fold"]),
  reads: () => /\bcall view on\b/,
  begin: (who) => payload("sessionStart", who, {}),
  fold: (who) => [payload("sessionStart", who, { source: undefined, trigger: "auto" })],
  call: callWith("Copilot CLI", {
    ...{ read, edit, write, shell: bash, grep },
    patch: ({ sections }, who) => patch(sections, who),
  }),
  reply(output) {
    if (output === null) return nothing;
    const told = JSON.parse(output) as Payload;
    only(told, ["permissionDecision", "permissionDecisionReason", "modifiedArgs", "additionalContext"]);
    const isDenied = told.permissionDecision === "deny";
    const [tell = "", say] = (textOf(told.additionalContext) ?? "").split(/(?:^|\n\n)For the person: /);
    return {
      ...{ deny: isDenied ? textOf(told.permissionDecisionReason) : null },
      input: told.modifiedArgs === undefined ? null : record(told.modifiedArgs),
      ...{ tell: tell === "" ? null : tell, say: say ?? null },
    };
  },
};
