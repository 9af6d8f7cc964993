import { compileGlob } from "./glob.js";

/** Tells whether a path, with "/" between its names and relative to its root, is meant. */
export type Matcher = (path: string) => string | null;

interface Rule {
  /** As a person wrote it, for the refusal that names it. */
  readonly pattern: string;
  readonly matches: (path: string) => boolean;
}

/** Without regard to case everywhere: ".GIT/config" is the same file on half of all machines. */
const rule = (pattern: string, matches: (names: readonly string[]) => boolean): Rule => ({
  pattern,
  matches: (path) => matches(path.toLowerCase().split("/")),
});

/** For the last name of a path. */
const named = (pattern: string, matches: (name: string) => boolean): Rule =>
  rule(pattern, (names) => matches(names.at(-1) as string));

const ending = (pattern: string): Rule => {
  const endings = pattern.split(", ").map((one) => one.slice(1));
  return named(pattern, (name) => endings.some((end) => name.endsWith(end)));
};

const keyNames = ["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"];
const keys: readonly Rule[] = [
  named(
    `${keyNames.join("*, ")}*`,
    (name) => keyNames.some((key) => name.startsWith(key)) && !name.endsWith(".pub"),
  ),
  ending("*.pem, *.key, *.ppk"),
  ending("*.p12, *.pfx, *.jks, *.keystore"),
];

/** The defaults are no globs: a hook that has no patterns of its own loads no library for them, nor makes expressions. */
export const deniedByDefault: readonly Rule[] = [rule(".git/", (names) => names.includes(".git")), ...keys];

const isSample = (name: string): boolean =>
  [".example", ".sample", ".template"].some((end) => name.endsWith(end));
const credentials = [
  ...[".netrc", "_netrc", ".pgpass", ".git-credentials", ".htpasswd", ".npmrc", ".yarnrc.yml", ".pypirc"],
  ...["credentials.json", "client_secret.json", "kubeconfig", ".terraformrc", ".vault-token"],
];
/** A folder and a name in it that tools keep their passwords under. */
const stores = [".aws/credentials", ".kube/config", ".docker/config.json", ".cargo/credentials.toml"];
const begins = [
  "secrets.",
  ".secrets",
  "kubeconfig.",
  "service-account",
  "service_account",
  "serviceaccount",
];

export const secretByDefault: readonly Rule[] = [
  named(".env*", (name) => name.startsWith(".env") && !isSample(name)),
  named(credentials.join(", "), (name) => credentials.includes(name)),
  named(
    `${begins.join("*, ")}*`,
    (name) => begins.some((begin) => name.startsWith(begin)) && !isSample(name),
  ),
  rule(stores.join(", "), (names) => stores.includes(names.slice(-2).join("/"))),
  // Keys have no ending: `id_generator.py` is none.
  named("id_*", (name) => name.startsWith("id_") && !name.includes(".")),
  ending("*.kdbx, *.tfvars, *.tfvars.json, *.tfstate, *.tfstate.backup"),
  ...keys,
];

/**
 * The pattern that names a path, null if none does. The last pattern that matches decides, and one that begins with
 * "!" takes a path out again, the way .gitignore does it.
 */
export function matcher(defaults: readonly Rule[], patterns: readonly string[]): Matcher {
  const own: { rule: Rule; takesOut: boolean }[] = [];
  for (const given of patterns) {
    const takesOut = given.startsWith("!");
    own.push({ rule: glob(takesOut ? given.slice(1) : given), takesOut });
  }
  own.reverse();
  return (path) => {
    const last = own.find((one) => one.rule.matches(path));
    if (last) return last.takesOut ? null : last.rule.pattern;
    return defaults.find((one) => one.matches(path))?.pattern ?? null;
  };
}

/** Without a slash a pattern means a name at any depth; with one, a path from the root; at the end, all in a folder. */
export function glob(pattern: string, nocase = true): Rule {
  const anchored = pattern.replace(/\/$/, "").includes("/");
  const body = pattern.replace(/^(\.?\/)+/, "").replace(/\/$/, "");
  const from = anchored ? body : `**/${body}`;
  const whole = compileGlob(from, nocase);
  const inside = compileGlob(`${from}/**`, nocase);
  const folderOnly = pattern.endsWith("/");
  // A name like x[1].txt is meant as it stands, too.
  const fold = (text: string): string => (nocase ? text.toLowerCase() : text);
  const named = `/${fold(body)}`;
  const isNamed = (path: string): boolean =>
    anchored ? `/${fold(path)}` === named : `/${fold(path)}`.endsWith(named);
  return {
    pattern,
    matches: (path) => (!folderOnly && (whole(path) || isNamed(path))) || inside(path),
  };
}
