import {
  configFolder,
  failure,
  type Io,
  nodeIo,
  type Platform,
  readFile,
  thisPlatform,
} from "../host/index.js";
import { PortError } from "../ports/index.js";
import { isObject, type Key, keys, rules, type Settings } from "./settings.js";
import { join } from "./strictest.js";

const projectFileName = ".kedge.json";

const isRulesName = (path: string, platform: Platform): boolean =>
  platform.path.basename(path).toLowerCase() === projectFileName;

/**
 * Whether a path is, or leads to, a file that says what agents may: a project's own, in whatever folder. A path that leads
 * nowhere (a loop of links, a name no file can have) leads to no such file.
 */
export function isRulesFile(path: string, leadsTo: string): boolean {
  return [path, leadsTo].some((one) => isRulesName(one, thisPlatform));
}

/** No tool writes the file that binds whoever calls it. `real` is where the path leads. */
export function refuseRules(path: string, real: string, platform: Platform): void {
  if (![path, real].some((one) => isRulesName(one, platform))) return;
  throw new PortError(
    "denied",
    `${path} says what agents may do here: a person changes it, no tool of kedge`,
  );
}

export interface ConfigOptions {
  readonly flags?: Settings;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder that may hold `.kedge.json`. */
  readonly workspace: string;
  /** A client's hook: a project's client settings may have set the environment, so that counts like the project's file. */
  readonly hook?: boolean;
  readonly home?: string;
  readonly io?: Io;
  readonly platform?: Platform;
}

export interface Config {
  readonly settings: Settings;
  /** Where each key was set, for people who wonder. */
  readonly sources: Readonly<Partial<Record<Key, string>>>;
  /** The requests of a project that it may not have, and the settings that could not be read: for the person. */
  readonly vain: readonly string[];
  /** Files whose text is not kept since the project says so. */
  readonly unkept: readonly string[];
}

/**
 * Flags, then environment, then `kedge/config.json` of the user: the first that sets a key decides. `.kedge.json` in the
 * workspace comes with the repository: of that, and in a hook of the environment, only what is stricter counts (`join`).
 *
 * @example
 * const { settings } = loadConfig({ env: { KEDGE_GATE: "file" }, workspace: root });
 * console.log(settings.gate); // → file
 */
export function loadConfig(options: ConfigOptions): Config {
  const { platform = thisPlatform, env, hook: isHook = false } = options;
  const [projectPath, user] = [projectFile(options), userFile(options)];
  const troubles: string[] = [];
  const own = { name: user, settings: fromFile(options, user) };
  const project = {
    name: projectPath,
    settings: tolerant(options, troubles, () =>
      confined(fromFile(options, projectPath), projectPath, platform),
    ),
  };
  const environment = {
    name: "environment",
    settings: isHook ? fromHook(env, platform, troubles) : fromEnvironment(env, platform),
  };
  const flags = { name: "command line", settings: checked(options.flags ?? {}, "command line") };
  const asking = isHook ? [project, environment] : [project];
  const { vain, ...joined } = join({ commanding: isHook ? [] : [flags, environment], own, asking, isHook });
  const known = own.settings.secrets ?? [];
  const unkept = asking.flatMap(({ settings }) => settings.secrets ?? []);
  return {
    ...joined,
    vain: [...troubles, ...vain],
    unkept: unkept.filter((pattern) => !known.includes(pattern) && !pattern.startsWith("!")),
  };
}

/** In a hook a project's file that is wrong takes no guard away: it is left out, unless nothing may go unchecked. */
function tolerant(options: ConfigOptions, troubles: string[], read: () => Settings): Settings {
  if (!options.hook) return read();
  try {
    return read();
  } catch (error) {
    if (isSetByPerson(options)) throw error;
    troubles.push(`${error instanceof Error ? error.message : error}, so it is left out`);
    return {};
  }
}

/** The names of the variables that are settings. */
export const settingVariables: readonly string[] = Object.values(rules)
  .flatMap(({ variable, fields = {} }) => [variable, ...Object.keys(fields)])
  .filter((name) => name !== "");

const projectFile = ({ platform = thisPlatform, workspace }: ConfigOptions): string =>
  platform.path.join(workspace, projectFileName);

const userFile = (options: ConfigOptions): string =>
  (options.platform ?? thisPlatform).path.join(configFolder(options), "config.json");

/**
 * Whether what cannot be checked is refused, also where the configuration is what cannot be read: else whoever breaks
 * one of its files turns that off. Then the person's environment decides if it says anything, and else every file counts
 * that says true, as far as it can be read.
 */
export function failsClosed(options: ConfigOptions): boolean {
  try {
    return loadConfig(options).settings.failClosed ?? false;
  } catch {
    return isSetByPerson(options);
  }
}

function isSetByPerson(options: ConfigOptions): boolean {
  const { variable, read } = rules.failClosed;
  const set = read(options.env[variable] ?? "", "");
  if (set === true || (set === false && !options.hook)) return set;
  return [projectFile, userFile].some((file) => isSetByFile(options, file));
}

function isSetByFile(options: ConfigOptions, file: (options: ConfigOptions) => string): boolean {
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

function fromEnvironment(env: ConfigOptions["env"], platform: Platform): Settings {
  return Object.assign({}, ...keys.map((key) => fromVariable(key, env, platform)));
}

function fromVariable(key: Key, env: ConfigOptions["env"], platform: Platform): Settings {
  const { variable, fields = {}, read } = rules[key];
  const found: Settings[] = [];
  const take = (name: string, meaning: (text: string) => unknown): void => {
    const text = env[name];
    if (text === undefined || text === "") return;
    const value = meaning(text);
    check(key, value, { where: `environment variable ${name}`, given: text });
    found.push({ [key]: value });
  };
  take(variable, (text) => read(text, platform.path.delimiter));
  for (const [name, field] of Object.entries(fields)) take(name, (text) => ({ [field]: text }));
  return found.length < 2 ? (found[0] ?? {}) : { [key]: Object.assign({}, ...found.map((one) => one[key])) };
}

/** Each by itself: one that is wrong takes no other away. */
function fromHook(env: ConfigOptions["env"], platform: Platform, troubles: string[]): Settings {
  const found: Settings[] = [];
  // As KEDGE_STATE: where the record of a hook is, the person says in their own file.
  for (const key of keys.filter((one) => one !== "store")) {
    try {
      found.push(fromVariable(key, env, platform));
    } catch (error) {
      troubles.push(`${(error as Error).message}, so it is left out`);
    }
  }
  return Object.assign({}, ...found);
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
  const { $schema, ...given } = value;
  const settings = typeof given.store === "string" ? { ...given, store: { url: given.store } } : given;
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
  const shown = rule.isSecret ? "not what it should be" : given;
  throw new PortError("bad_request", `${where}: ${key} is ${shown}; allowed: ${rule.allowed}`);
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
