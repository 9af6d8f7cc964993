import { realpathSync } from "node:fs";
import { basename, resolve } from "node:path";
import { type Config, isWithin, type Settings } from "../node/index.js";

/** A folder that is worked on, and the settings that count there. */
export interface Served {
  readonly root: string;
  readonly settings: Settings;
}

export interface Ceiling {
  /** The configuration of a folder. */
  readonly config: (folder: string) => Config;
  /** Where relative roots start. */
  readonly cwd: string;
}

/**
 * What of the folders that a client names is served: inside the roots that are configured, if any are. One that is wider
 * is cut down to them, one beside them does not count. None left: the configured roots themselves.
 */
export function servedOf(named: readonly string[], ceiling: Ceiling): readonly Served[] {
  const found = named.flatMap((folder) => {
    const limits = limitsOf(folder, ceiling);
    if (limits.length === 0) return at(folder, ceiling);
    const own = real(folder);
    if (limits.some(({ root }) => isWithin(own, root))) return at(own, ceiling);
    return limits.filter(({ root }) => isWithin(root, own));
  });
  const served = found.length > 0 ? found : named.flatMap((folder) => limitsOf(folder, ceiling));
  return [...new Map(served.map((one) => [one.root, one])).values()];
}

const at = (root: string, { config }: Ceiling): Served[] => [{ root, settings: config(root).settings }];

/** The roots that are configured for a folder. Those of its own `.kedge.json` are served as that file says. */
export function limitsOf(folder: string, { config, cwd }: Ceiling): Served[] {
  const { settings, sources } = config(folder);
  const isOwn = basename(sources.roots ?? "") === ".kedge.json";
  return (settings.roots ?? []).map((given) => {
    const root = real(resolve(cwd, given));
    return { root, settings: isOwn ? settings : config(root).settings };
  });
}

/** The first root's settings. What any of them denies, or keeps secret, is so in all. */
export function settingsOfAll([first, ...others]: readonly Served[]): Settings {
  const settings = first?.settings ?? {};
  const added = (key: "deny" | "secrets"): readonly string[] => {
    const own = settings[key] ?? [];
    const more = others.flatMap((other) => other.settings[key] ?? []);
    return [...own, ...more.filter((pattern) => !pattern.startsWith("!") && !own.includes(pattern))];
  };
  return { ...settings, deny: added("deny"), secrets: added("secrets") };
}

function real(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return resolve(folder);
  }
}
