/** Sessions of Claude Code made line by line: what no recorded course holds. */
interface Call {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly result: string;
  readonly told?: unknown;
  readonly isError?: boolean;
}

/** The client noticed that a file had changed. */
export interface Notice {
  readonly notice: string;
}

export const project = "/home/user/project";

/** The lines of a session file. */
export function madeSession(calls: readonly (Call | Notice)[], session = "made"): string {
  const lines = calls.flatMap((call, at) => {
    if ("notice" in call) {
      const attachment = { type: "edited_text_file", filename: call.notice, snippet: "" };
      return [
        JSON.stringify({
          parentUuid: null,
          isSidechain: false,
          attachment,
          type: "attachment",
          uuid: `${at}`,
        }),
      ];
    }
    const { tool, input, result, told, isError = false } = call;
    const id = `toolu_${session}_${String(at).padStart(20, "0")}`;
    const asked = { message: { role: "assistant", content: [{ type: "tool_use", id, name: tool, input }] } };
    const block = {
      tool_use_id: id,
      type: "tool_result",
      content: result,
      ...(isError ? { is_error: true } : {}),
    };
    const done = { message: { role: "user", content: [block] }, toolUseResult: told ?? result };
    return [
      { type: "assistant", ...asked },
      { type: "user", ...done },
    ].map((entry, half) => {
      const timestamp = new Date(1_790_000_000_000 + at * 2000 + half * 500).toISOString();
      const about = { uuid: `${at}-${half}`, timestamp, cwd: project, sessionId: session };
      return JSON.stringify({ parentUuid: null, isSidechain: false, ...entry, ...about });
    });
  });
  return `${lines.join("\n")}\n`;
}

/** A read of all of a file. */
export function readOf(path: string, content: string): Call {
  const lines = content.split("\n").length;
  const rows = content.trimEnd().split("\n");
  return {
    tool: "Read",
    input: { file_path: path },
    result: rows.map((row, at) => `${at + 1}\t${row}`).join("\n"),
    told: {
      type: "text",
      file: { filePath: path, content, numLines: lines, startLine: 1, totalLines: lines },
    },
  };
}

/** An edit that its client made of a text. */
export function editOf(path: string, before: string, old: string, fresh: string): Call {
  const input = { file_path: path, old_string: old, new_string: fresh };
  const told = {
    filePath: path,
    oldString: old,
    newString: fresh,
    originalFile: before,
    structuredPatch: [],
    userModified: false,
  };
  return { tool: "Edit", input, result: `The file ${path} has been updated successfully.`, told };
}

/** An edit that its client refused. */
export function refusalOf(path: string, old: string, fresh: string, said: string): Call {
  const input = { file_path: path, old_string: old, new_string: fresh };
  return {
    tool: "Edit",
    input,
    result: `<tool_use_error>${said}</tool_use_error>`,
    told: `Error: ${said}`,
    isError: true,
  };
}

/** A write over a file, or of a new one. */
export function writeOf(path: string, before: string | null, content: string): Call {
  const told = {
    type: before === null ? "create" : "update",
    filePath: path,
    content,
    structuredPatch: [],
    originalFile: before,
  };
  return { tool: "Write", input: { file_path: path, content }, result: "The file was written.", told };
}

export function shellOf(command: string, stdout = ""): Call {
  return {
    tool: "Bash",
    input: { command },
    result: stdout,
    told: { stdout, stderr: "", interrupted: false },
  };
}
