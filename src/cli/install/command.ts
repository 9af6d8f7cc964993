/** The command that a client starts as its hook, in the forms that clients take. */
import { ownFile } from "./config/config-file.js";
import type { ConfigFile, Setup, Started } from "./types.js";

/** Program and arguments, for clients that start it without a shell. */
export function hookArguments({ node, hook, state }: Setup, client: string): readonly [string, ...string[]] {
  const own = [node, hook, client] as const;
  return state === null ? own : [...own, "--state", state];
}

/** Builds one line, for clients that give it to a shell. */
export function hookLine(setup: Setup, client: string): string {
  const [program, ...rest] = hookArguments(setup, client);
  return [program, ...rest].map(word).join(" ");
}

/** Quotes a word with double quotes where they suffice, since every shell knows them. */
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

/** The command of a client that gives the line to a shell. */
export function startedLine(line: string): Started {
  const shell =
    process.platform === "win32" ? (["cmd.exe", "/d", "/s", "/c"] as const) : (["/bin/sh", "-c"] as const);
  return { argv: [...shell, line], words: wordsOf(line) };
}

/** Whether a command starts the guard for a client, from whatever state folder and of whatever version. */
export function isGuardStart(command: string, client: string): boolean {
  return new RegExp(
    `[\\\\/]hook[\\\\/]([^\\\\/]+[\\\\/])?hook\\.cjs["']? ${client}( --state .+?)?( \\|\\| exit \\d)?$`,
  ).test(command);
}

/** Whether a hook of one shell line starts the guard for a client. */
export const isGuardHook =
  (client: string) =>
  ({ command }: { readonly command?: unknown }): boolean =>
    isGuardStart(String(command), client);

/** The command that starts our MCP server. */
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
/** Plugins that run inside a client: one file, which hands every event on to the guard's program. */

const placeholder = /const installed = \{[\s\S]*?\n\};/;

/** The plugin as it ships, with the paths of this installation in it. */
export function shimFile(path: string, name: string, setup: Setup): ConfigFile {
  const { node, hook, state, failClosed } = setup;
  const installed = { node, hook, args: state === null ? [] : ["--state", state], failClosed };
  const text = `const installed = ${JSON.stringify(installed, null, 2)};`;
  const content = setup.plugin(name).replace(placeholder, () => text);
  return ownFile(path, content, "// Kedge's guard for ");
}

/** Returns the command that an installed plugin starts; null if the plugin is not ours. */
export function startedBy(text: string, client: string): Started | null {
  const found = /const installed = (\{[\s\S]*?\n\});/.exec(text)?.[1];
  if (!found) return null;
  const {
    node,
    hook,
    args = [],
  } = JSON.parse(found) as Pick<Setup, "node" | "hook"> & {
    readonly args?: readonly string[];
  };
  return { argv: [node, hook, client, ...args] };
}
