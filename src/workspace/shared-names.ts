import { type Disk, isShared, type Target } from "../disk/index.js";
import { ifThere } from "../host/index.js";
import { PortError } from "../ports/index.js";

/** Files with several names that are written, each to be locked as such. Refuses two names of one file. */
export function sharedNames(
  disk: Disk,
  targets: readonly Target[],
): { key: string; path: string; real: string }[] {
  const named = new Map<string, Target[]>();
  for (const target of targets) {
    const stat = target.before && ifThere(() => disk.io.lstat(target.real));
    if (!stat || !isShared(stat) || !stat.isFile()) continue;
    const key = `inode ${stat.dev} ${stat.ino}`;
    named.set(key, [...(named.get(key) ?? []), target]);
  }
  return [...named].flatMap(([key, names]) => {
    const [{ path, real, after }] = names as [Target];
    if (names.length === 1) return after ? [{ key, path, real }] : [];
    const paths = names.map((one) => one.path).join(" and ");
    throw new PortError(
      "bad_request",
      `${paths} are names of one file (hard links): name one of them in a call`,
    );
  });
}
