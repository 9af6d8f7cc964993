import { resolve } from "node:path";
import {
  type Call,
  captured,
  type Done,
  type Driver,
  only,
  type Payload,
  record,
  type Section,
  type Who,
  withValues,
} from "./driver.js";
import { callWith, commonReply, done, failedSilently, hookReply } from "./driver-base.js";
import { shell } from "./files.js";
import { applyPatch, asSections, parsePatch, patchText } from "./patch.js";

const version = "codex-0.166.0";

function payload(name: string, { conversation, subagent, cwd }: Who, values: Payload): Payload {
  const inside = subagent ? { agent_id: subagent, agent_type: "default" } : {};
  return withValues(captured(`${version}/${name}`), { session_id: conversation, cwd, ...inside, ...values });
}

const answers = ["hookEventName", "additionalContext"];
const quoted = (path: string): string => `'${path.replaceAll("'", `'\\''`)}'`;

const longest = 40_000;

/** Of long output the middle is left out, in the middle of lines. */
function resultOf(output: string): string {
  if (output.length <= longest) return output;
  const half = longest / 2;
  const head = `Warning: truncated output (original token count: ${Math.ceil(output.length / 4)})`;
  const lines = `Total output lines: ${output.split("\n").length - 1}`;
  const gap = `…${Math.ceil((output.length - longest) / 4)} tokens truncated…`;
  return `${head}\n${lines}\n\n${output.slice(0, half)}${gap}${output.slice(-half)}`;
}

/** A patch in a command is taken out of it and carried out by the client itself, which then says nothing. */
const heredoc = /^(?:cd (\S+) && )?apply_patch <<'EOF'\n([\s\S]*?)\nEOF\n?$/;

function bash(command: string, who: Who): Call {
  const tool_input = { command };
  return {
    before: payload("PreToolUse-Bash", who, { tool_input }),
    run() {
      const [, folder = ".", text] = heredoc.exec(command) ?? [];
      if (text !== undefined) return patched(text, { ...who, cwd: resolve(who.cwd, folder) }, () => []);
      const { stdout, stderr } = shell(command, who.cwd);
      const tool_response = resultOf(`${stdout}${stderr}`);
      return {
        ...{ failed: null, printed: tool_response },
        after: () => [payload("PostToolUse-Bash", who, { tool_input, tool_response })],
        settled: () => [],
      };
    },
  };
}

function patched(text: string, who: Who, told: (response: string) => Payload[]): Done {
  const made = applyPatch(parsePatch(text), who);
  if (typeof made !== "string") return failedSilently(made.failed);
  const response = `Exit code: 0\nWall time: 0 seconds\nOutput:\n${made}`;
  return done(response, () => told(response));
}

function patch(sections: readonly Section[], who: Who): Call {
  const tool_input = { command: patchText(sections) };
  return {
    before: payload("PreToolUse-apply_patch", who, { tool_input }),
    run(rewritten) {
      const used = rewritten ?? tool_input;
      return patched(String(used.command), who, (tool_response) => [
        payload("PostToolUse-apply_patch", who, { tool_input: used, tool_response }),
      ]);
    },
  };
}

export const codex: Driver = {
  client: "codex",
  versions: [version],
  can: new Set(["subagents", "patch", "heredoc patch", "fold"]),
  reads: () => /\brun `(cat|sed -n) /,
  begin: (who) => payload("SessionStart-startup", who, {}),
  fold: (who) =>
    ["PreCompact-auto", "PostCompact-auto", "SessionStart-compact"].map((name) => payload(name, who, {})),
  call: callWith("Codex", {
    read({ path, lines }, who) {
      const name = quoted(path.startsWith("-") ? `./${path}` : path);
      return bash(lines ? `sed -n '${lines.first},${lines.last}p' ${name}` : `cat ${name}`, who);
    },
    edit: ({ path, edits }, who) => patch(asSections(path, edits), who),
    write: ({ path, content }, who) => patch([{ do: "add", path, content }], who),
    patch: ({ sections }, who) => patch(sections, who),
    shell: ({ command }, who) => bash(command, who),
  }),
  reply: hookReply((told, specific) => {
    only(told, ["hookSpecificOutput", "systemMessage"]);
    only(specific, [...answers, "permissionDecision", "permissionDecisionReason", "updatedInput"]);
    if (told.hookSpecificOutput !== undefined && typeof specific.hookEventName !== "string")
      throw new Error("Codex takes no answer without the name of the event");
    const isAllowed = specific.permissionDecision === "allow";
    if (isAllowed !== (specific.updatedInput !== undefined))
      throw new Error("Codex takes other arguments with an explicit allow, and nothing else with one");
    return { ...commonReply(specific), input: isAllowed ? record(specific.updatedInput) : null };
  }),
};
