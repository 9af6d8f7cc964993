import { PortError } from "../session/index.js";
import { failure } from "./failure.js";
import { type Io, nodeIo, readFile } from "./io.js";
import { type Platform, thisPlatform } from "./platform.js";
import { isObject, type Key, type LimitSettings, rules, type Settings } from "./settings.js";
import { configFolder } from "./state.js";

export interface ConfigOptions {
  readonly flags?: Settings;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder that may hold `.kedge.json`. */
  readonly workspace: string;
  readonly home?: string;
  readonly io?: Io;
  readonly platform?: Platform;
}

export interface Config {
  readonly settings: Settings;
  /** Where each key was set, for people who wonder. */
  readonly sources: Readonly<Partial<Record<Key, string>>>;
}

interface Source {
  readonly name: string;
  readonly settings: Settings;
}

/**
 * Flags, then environment, then `.kedge.json` in the workspace, then `kedge/config.json` of the user: the first that
 * sets a key decides. `deny` and `secrets` add up instead, and `limits` one by one: a repository that is checked out
 * must not take away what its user forbids.
 *
 * @example
 * const { settings } = loadConfig({ env: process.env, workspace: findWorkspace(process.cwd()).root });
 */
export function loadConfig(options: ConfigOptions): Config {
  const { platform = thisPlatform, env } = options;
  const [project, user] = [projectFile(options), userFile(options)];
  const sources: Source[] = [
    { name: "command line", settings: checked(options.flags ?? {}, "command line") },
    { name: "environment", settings: fromEnvironment(env, platform) },
    { name: project, settings: confined(fromFile(options, project), project, platform) },
    { name: user, settings: fromFile(options, user) },
  ];
  return merge(sources);
}

const projectFile = ({ platform = thisPlatform, workspace }: ConfigOptions): string =>
  platform.path.join(workspace, ".kedge.json");

const userFile = (options: ConfigOptions): string =>
  (options.platform ?? thisPlatform).path.join(configFolder(options), "config.json");

/**
 * Whether what cannot be checked is refused, also where the configuration is what cannot be read: else whoever breaks
 * one of its files turns that off. Then the environment decides if it says anything, and else every file counts that
 * says true, as far as it can be read.
 */
export function failsClosed(options: ConfigOptions): boolean {
  try {
    return loadConfig(options).settings.failClosed ?? false;
  } catch {
    const { variable, read } = rules.failClosed;
    const set = read(options.env[variable] ?? "", "");
    if (typeof set === "boolean") return set;
    return [projectFile, userFile].some((file) => saysClosed(options, file));
  }
}

function saysClosed(options: ConfigOptions, file: (options: ConfigOptions) => string): boolean {
  let text = "";
  try {
    text = new TextDecoder().decode(readFile(options.io ?? nodeIo, file(options)) ?? undefined);
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ""));
    return isObject(value) && value.failClosed === true;
  } catch {
    // No JSON: a comment or a comma too many. Nothing at all if it could not be read.
    return /"failClosed"\s*:\s*true\b/.test(text);
  }
}

function merge(sources: readonly Source[]): Config {
  const settings: Record<string, unknown> = {};
  const named: Partial<Record<Key, string>> = {};
  for (const { name, settings: given } of sources) {
    for (const [key, value] of Object.entries(given) as [Key, unknown][]) {
      named[key] = named[key] === undefined ? name : isAdded(key) ? `${named[key]}, ${name}` : named[key];
      // Weaker sources come later here and stand first in a list: the last pattern that matches decides.
      if (key === "deny" || key === "secrets")
        settings[key] = [...(value as string[]), ...((settings[key] as string[]) ?? [])];
      else if (key === "limits")
        settings[key] = { ...(value as LimitSettings), ...(settings[key] as LimitSettings) };
      else settings[key] ??= value;
    }
  }
  return { settings: settings as Settings, sources: named };
}

const isAdded = (key: Key): boolean => key === "deny" || key === "secrets" || key === "limits";

function fromEnvironment(env: ConfigOptions["env"], platform: Platform): Settings {
  const found: Record<string, unknown> = {};
  for (const [key, rule] of Object.entries(rules)) {
    const text = env[rule.variable];
    if (text === undefined || text === "") continue;
    found[key] = rule.read(text, platform.path.delimiter);
    check(key, found[key], { where: `environment variable ${rule.variable}`, given: text });
  }
  return found;
}

function fromFile({ io = nodeIo }: ConfigOptions, path: string): Settings {
  let bytes: Uint8Array | null;
  try {
    bytes = io.isThere(path) ? readFile(io, path) : null;
  } catch (error) {
    throw failure("read", path, error);
  }
  if (bytes === null) return {};
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes).replace(/^\ufeff/, ""));
  } catch (error) {
    // Without the text itself, which may have many lines.
    const why = (error as Error).message.replace(/, (\.\.\.)?"[\s\S]*is not valid JSON$/, "");
    throw new PortError("bad_request", `${path} is not JSON: ${why}`);
  }
  return checked(value, path);
}

function checked(value: unknown, where: string): Settings {
  if (!isObject(value)) throw new PortError("bad_request", `${where} does not hold an object with settings`);
  const { $schema, ...settings } = value;
  for (const [key, one] of Object.entries(settings)) check(key, one, { where, given: JSON.stringify(one) });
  return settings;
}

function check(key: string, value: unknown, { where, given }: { where: string; given: string }): void {
  if (!Object.hasOwn(rules, key)) {
    const known = Object.keys(rules).join(", ");
    throw new PortError(
      "bad_request",
      `${where}: there is no key ${JSON.stringify(key)}; the keys are ${known}`,
    );
  }
  const rule = rules[key as Key];
  if (rule.isValid(value)) return;
  throw new PortError("bad_request", `${where}: ${key} is ${given}; allowed: ${rule.allowed}`);
}

/** A file that comes with the repository may make things stricter than the user wants, not laxer. */
function confined(settings: Settings, file: string, { path }: Platform): Settings {
  const folder = path.dirname(file);
  const refuse = (key: Key, given: string, why: string): never => {
    throw new PortError("bad_request", `${file}: ${key} has ${JSON.stringify(given)}; ${why}`);
  };
  for (const key of ["deny", "secrets"] as const) {
    const lax = settings[key]?.find((pattern) => pattern.startsWith("!"));
    if (lax !== undefined)
      refuse(key, lax, `only the user's own configuration may take patterns back with "!"`);
  }
  const roots = settings.roots?.map((root) => {
    const absolute = path.resolve(folder, root);
    const inside =
      absolute === folder || absolute.startsWith(folder.endsWith(path.sep) ? folder : folder + path.sep);
    return inside ? absolute : refuse("roots", root, "a workspace's own file names folders inside it");
  });
  return roots === undefined ? settings : { ...settings, roots };
}
