/** The command that a client starts as its hook, in the forms that clients take. */
import type { Setup, Started } from "./types.js";

/** Program and arguments, for clients that start it without a shell. */
export function hookArguments({ node, hook, state }: Setup, client: string): readonly [string, ...string[]] {
  const own = [node, hook, client] as const;
  return state === null ? own : [...own, "--state", state];
}

/** One line, for clients that give it to a shell. */
export function hookLine(setup: Setup, client: string): string {
  const [program, ...rest] = hookArguments(setup, client);
  return [program, ...rest].map(word).join(" ");
}

/** In double quotes where they do, since every shell knows those. */
function word(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  return /["$`\\!]/.test(text) ? `'${text.replaceAll("'", "'\\''")}'` : `"${text}"`;
}

/** The words of a line that `hookLine` made. */
export function wordsOf(line: string): string[] {
  const words = line.match(/(?:'(?:[^']|'\\'')*'|"[^"]*"|[^\s"'])+/g) ?? [];
  return words.map((one) =>
    one
      .replaceAll("'\\''", "\0")
      .replace(/^(['"])([\s\S]*)\1$/, "$2")
      .replaceAll("\0", "'"),
  );
}

/** What a client starts that gives the line to a shell. */
export function startedLine(line: string): Started {
  const shell =
    process.platform === "win32" ? (["cmd.exe", "/d", "/s", "/c"] as const) : (["/bin/sh", "-c"] as const);
  return { argv: [...shell, line], words: wordsOf(line) };
}

/** Whether a command starts the guard for a client, from whatever state folder and of whatever version. */
export function startsGuard(command: string, client: string): boolean {
  return new RegExp(
    `[\\\\/]hook[\\\\/]([^\\\\/]+[\\\\/])?hook\\.cjs["']? ${client}( --state .+?)?( \\|\\| exit \\d)?$`,
  ).test(command);
}

/** What a client has to start for our MCP server. */
export function serverCommand({ node, program, state }: Setup): {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
} {
  return {
    command: node,
    args: [program, "mcp"],
    ...(state === null ? {} : { env: { KEDGE_STATE: state } }),
  };
}
