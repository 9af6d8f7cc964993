/** Made sessions, in the form that Claude Code writes: reads, edits, commands and talk in the shares of real ones. */
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { sourceText } from "./text.js";

/** A number from 0 to 1 for each call, the same in every run. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

interface Made {
  readonly path: string;
  lines: string[];
  isRead: boolean;
}

/** Writes a session of so many bytes at least. */
export function makeSession(folder: string, name: string, bytes: number): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${name}.jsonl`);
  const fd = openSync(path, "w");
  const session = new MadeSession(name);
  try {
    for (let written = 0; written < bytes; ) written += writeSync(fd, session.next());
  } finally {
    closeSync(fd);
  }
  return path;
}

class MadeSession {
  private readonly roll: () => number;
  private readonly files: Made[];
  private count = 0;
  private last: string | null = null;

  constructor(private readonly name: string) {
    this.roll = dice([...name].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7) % 2_147_483_648);
    this.files = Array.from({ length: 24 }, (_, at) => ({
      path: `/home/user/project/src/part${at % 6}/file${at}.ts`,
      lines: sourceText(120 + 40 * at)
        .trimEnd()
        .split("\n")
        .map((line, row) => (row % 5 === 4 ? line : `${line} // ${at}.${row}`)),
      isRead: false,
    }));
  }

  next(): string {
    const file = this.files[Math.floor(this.roll() * this.roll() * this.files.length)] as Made;
    const kind = this.roll();
    if (this.count % 400 === 399) return this.compaction();
    if (kind < 0.2) return this.talk();
    if (kind < 0.56) return this.command(file);
    // An agent changes some of the files that it reads.
    return kind < 0.83 || !file.isRead || file.path.includes("part0") ? this.read(file) : this.edit(file);
  }

  private read(file: Made): string {
    const isWhole = !file.isRead || this.roll() < 0.3;
    const first = isWhole ? 0 : Math.floor(this.roll() * file.lines.length * 0.7);
    const shown = isWhole ? file.lines : file.lines.slice(first, first + 80);
    file.isRead = true;
    const input = { file_path: file.path, ...(isWhole ? {} : { offset: first + 1, limit: 80 }) };
    const rows = shown.map((line, at) => `${first + at + 1}\t${line}`).join("\n");
    const content = shown.map((line) => `${line}\n`).join("");
    const totalLines = file.lines.length + 1;
    const told = {
      type: "text",
      file: {
        filePath: file.path,
        content,
        numLines: shown.length + (isWhole ? 1 : 0),
        startLine: first + 1,
        totalLines,
      },
    };
    return this.call("Read", input, rows, told);
  }

  private edit(file: Made): string {
    const at = Math.floor(this.roll() * (file.lines.length - 3));
    const old = file.lines.slice(at, at + 2).join("\n");
    const before = file.lines.map((line) => `${line}\n`).join("");
    const input = { file_path: file.path, old_string: old, new_string: `${old}\n  // step ${this.count}` };
    if (this.roll() < 0.05) {
      const tabbed = (text: string): string => text.replace(/^/gm, "\t");
      const wrong = { ...input, old_string: tabbed(old), new_string: tabbed(input.new_string) };
      const error = "String to replace not found in file.";
      return this.call("Edit", wrong, `<tool_use_error>${error}</tool_use_error>`, `Error: ${error}`);
    }
    if (before.indexOf(old) !== before.lastIndexOf(old)) return this.read(file);
    file.lines = [...file.lines.slice(0, at + 2), `  // step ${this.count}`, ...file.lines.slice(at + 2)];
    const rows = file.lines.slice(Math.max(0, at - 3), at + 6).map((line) => ` ${line}`);
    const told = {
      ...{
        filePath: file.path,
        oldString: input.old_string,
        newString: input.new_string,
        originalFile: before,
      },
      structuredPatch: [{ oldStart: at - 2, oldLines: 8, newStart: at - 2, newLines: 9, lines: rows }],
      ...{ userModified: false, replaceAll: false },
    };
    return this.call("Edit", input, `The file ${file.path} has been updated successfully.`, told);
  }

  private command(file: Made): string {
    const kind = this.roll();
    const about = file.path.replace("/home/user/project/", "");
    const grep = file.lines
      .flatMap((line, at) => (at % 7 === 0 ? [`${about}:${at + 1}:${line}`] : []))
      .slice(0, 40);
    const test = Array.from(
      { length: 60 },
      (_, at) => ` ✓ test/part${at % 6}/case${at}.test.ts (${at} tests) ${at * 3} ms`,
    );
    const [command, stdout] =
      kind < 0.4 ? [`grep -n step ${about}`, grep.join("\n")] : ["npm test 2>&1 | tail -60", test.join("\n")];
    return this.call("Bash", { command, description: "look" }, stdout, {
      stdout,
      stderr: "",
      interrupted: false,
    });
  }

  private talk(): string {
    const text = "This is what has been found so far, and what comes next. ".repeat(30);
    return this.line({
      type: "assistant",
      message: { role: "assistant", content: [{ type: "text", text }] },
    });
  }

  private compaction(): string {
    for (const file of this.files) file.isRead = false;
    return this.line({ type: "system", subtype: "compact_boundary", content: "Conversation compacted" });
  }

  private call(name: string, input: object, content: string, toolUseResult: unknown): string {
    const id = `toolu_${this.name}_${String(this.count).padStart(20, "0")}`;
    const usage = { input_tokens: 10, cache_read_input_tokens: 40_000, output_tokens: 200 };
    const asked = { role: "assistant", content: [{ type: "tool_use", id, name, input }], usage };
    const isError = content.startsWith("<tool_use_error>");
    const result = { tool_use_id: id, type: "tool_result", content, ...(isError ? { is_error: true } : {}) };
    return (
      this.line({ message: asked, type: "assistant" }) +
      this.line({ type: "user", message: { role: "user", content: [result] }, toolUseResult })
    );
  }

  private line(entry: object): string {
    this.count += 1;
    const uuid = `${this.name}-${this.count}`;
    const head = { parentUuid: this.last, isSidechain: false };
    this.last = uuid;
    const timestamp = new Date(1_790_000_000_000 + this.count * 4000).toISOString();
    const about = { cwd: "/home/user/project", sessionId: this.name, version: "2.1.325", gitBranch: "main" };
    return `${JSON.stringify({ ...head, ...entry, uuid, timestamp, userType: "external", ...about })}\n`;
  }
}
