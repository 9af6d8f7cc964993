import { nodeIo } from "./io.js";
import { type Ancestor, type Processes, systemProcesses } from "./processes.js";

export interface IdentityOptions {
  /** A `session` argument or `--session`. */
  readonly explicit?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The subagent, where the client tells it. */
  readonly subagent?: string;
  /** A name for the connection, if there is one that lasts (MCP over stdio). */
  readonly connection?: string;
  readonly processes?: Processes;
  readonly clock?: () => number;
}

const hour = 3_600_000;

export interface Identity {
  readonly id: string;
  /** `shared`: nothing told who is calling; refusals should then name `--session`. */
  readonly source: "explicit" | "environment" | "client" | "connection" | "process" | "shared";
}

/** Environment variables by which clients tell the programs they start which conversation it is. */
const clients: readonly (readonly [variable: string, client: string])[] = [
  ["CLAUDE_CODE_SESSION_ID", "claude-code"],
  ["CODEX_THREAD_ID", "codex"],
  ["COPILOT_AGENT_SESSION_ID", "copilot"],
];

/**
 * Names the caller: the first of these that is there. The same caller gets the same answer in every process it starts,
 * as far as anything tells.
 *
 * @example
 * const { id, source } = await agentIdentity({ env: { KEDGE_SESSION: "reviewer" } });
 * console.log(id, source); // → reviewer environment
 */
export async function agentIdentity(options: IdentityOptions): Promise<Identity> {
  const { env, connection } = options;
  const within = (id: string): string => (options.subagent ? `${id}/${options.subagent}` : id);
  if (options.explicit) return { id: within(options.explicit), source: "explicit" };
  if (env.KEDGE_SESSION) return { id: within(env.KEDGE_SESSION), source: "environment" };
  for (const [variable, client] of clients) {
    const value = env[variable];
    if (value) return { id: within(`${client}:${value}`), source: "client" };
  }
  if (connection) return { id: within(`connection:${connection}`), source: "connection" };
  const processes = options.processes ?? systemProcesses(nodeIo);
  const caller = callingProcess(await processes.ancestors(), env);
  // A name of no particular agent counts for an hour at the most: it changes with the hour.
  if (!caller) return { id: `shared-${Math.floor((options.clock ?? Date.now)() / hour)}`, source: "shared" };
  // The start tells a process from a later one with its number, the boot from one after a restart.
  const boot = processes.self().boot.slice(0, 8);
  const start = caller.start.replace(/\W+/g, "-");
  const name = caller.name.replace(/[^\w.-]+/g, "-");
  return { id: within(`process:${name}-${caller.pid}-${start}-${boot}`), source: "process" };
}

/** Shells, and programs that only start another one: each lives for one command and says nothing about who asked. */
const shell =
  /^-?(sh|bash|zsh|fish|dash|ash|ksh|mksh|tcsh|csh|nu|elvish|xonsh|busybox|pwsh|powershell|cmd)(\.exe)?$/i;
const launcher =
  /^(env|sudo|doas|su|runuser|setpriv|timeout|nohup|nice|ionice|taskset|stdbuf|setsid|flock|xargs|find|parallel|time|script|strace|login|npx|npm|pnpm|pnpx|yarn|bunx|uvx|make|just|git)(\.exe)?$/i;
/** Scripts that node runs, which look like any program written in it. */
const launchingScript = /^(npm|npx|pnpm|pnpx|yarn|corepack)(-cli)?(\.[cm]?js)?$/;
const adopter = /^(systemd|init|launchd|tini|dumb-init|docker-init|catatonit|s6-svscan|containerd-shim.*)$/;
/** One process for many shells, each of which may be somebody else. */
const terminal =
  /^(tmux:?|screen|zellij|dtach|abduco|mosh-server|sshd|sshd-session|gnome-terminal.*|konsole|xterm|urxvt|kitty|wezterm.*|alacritty|foot|ghostty|tilix|xfce4-terminal|iTerm.*|Terminal|ttyd)$/i;

function callingProcess(ancestors: readonly Ancestor[], env: IdentityOptions["env"]): Ancestor | null {
  let outermost: Ancestor | null = null;
  for (const ancestor of ancestors) {
    // npm calls itself "npm exec kedge".
    const name = ancestor.name.split(" ")[0] ?? "";
    const [program = "", script = ""] = ancestor.runs ?? [];
    if (shell.test(name) || shell.test(program)) {
      outermost = ancestor;
      continue;
    }
    if (launcher.test(name) || launchingScript.test(script)) continue;
    // A process that only adopts orphans names no agent. In a container the agent itself may be first.
    if (adopter.test(ancestor.name)) return null;
    const caller = terminal.test(name) ? outermostOf(outermost, name, env) : ancestor;
    return caller?.start ? caller : null;
  }
  return null;
}

/** The shell of a terminal lives as long as it; that of a command sent by ssh is gone with the command. */
function outermostOf(
  outermost: Ancestor | null,
  terminalName: string,
  env: IdentityOptions["env"],
): Ancestor | null {
  return /^sshd/.test(terminalName) && !env.SSH_TTY ? null : outermost;
}
