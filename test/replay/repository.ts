import { execFileSync } from "node:child_process";
import { Place } from "../cli/support.js";
import { madeHistory } from "./history.js";

/** A repository with these versions of files, a commit each. */
export function repository(versions: readonly (readonly [path: string, text: string])[]): Place {
  const place = new Place();
  const git = (...args: string[]): void => {
    const who = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"];
    execFileSync("git", [...who, ...args], { cwd: place.folder, stdio: "ignore" });
  };
  git("init", "-q", "-b", "main");
  for (const [path, text] of versions) {
    place.put(path, text);
    git("add", "-A");
    git("commit", "-q", "--allow-empty", "-m", path);
  }
  return place;
}

export async function madeRepository(): Promise<Place> {
  const history = madeHistory("command", 2, 6);
  const versions: [string, string][] = [];
  for (const { path, before, after } of await history.changes())
    for (const text of await history.texts([before, after])) versions.push([path, text as string]);
  return repository(versions);
}
