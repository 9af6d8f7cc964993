/** Work that went away without anybody's edit: told to who ran the command, and to whose it was. */

import { basename, dirname, join, resolve } from "node:path";
import { homeFolder } from "../host/index.js";
import type { LostEdit } from "../lost/index.js";
import { outside, withoutSecrets } from "../text/index.js";
import { attempt, type GuardContext, seen } from "./context.js";
import type { Event, Row } from "./event.js";
import * as words from "./messages.js";
import { type Candidate, creditOutput } from "./output/credit.js";
import { linesIn } from "./output/file-lines.js";
import { pathsIn } from "./output/paths.js";
import { carriedText } from "./output/text-in-command.js";
import { nearPath, watch } from "./tree-watch.js";

/** Subcommands of git after which a commit may be reachable no more. */
const refMovers = /\bgit\b.*\b(?:branch|tag|reset|rebase|amend|update-ref|stash|filter-branch|worktree)\b/s;

/** Looks, and says what the agent is to know; the owners hear of it with their next call. */
export async function lossNotes(
  { tool, command: given }: { readonly tool: string; readonly command?: string },
  place: GuardContext,
): Promise<string[]> {
  // Notes for others are kept until their next call.
  const command = given === undefined ? undefined : withoutSecrets(given);
  const { session, store, agent, commits } = place;
  const cause = {
    tool,
    commits,
    ...(command === undefined ? {} : { command }),
    hasMovedRefs: refMovers.test(command ?? ""),
  };
  const lost = await session.lostBy(cause);
  if (lost.length === 0) return [];
  const near = lost.map((edit) => ({ ...edit, path: nearPath(edit.path, place) }));
  const persons = near.filter(({ agent: owner }) => owner.split(" or ").includes(outside));
  if (persons.length > 0) store.notes.add("saying", agent, words.lostOfPerson(persons, command));
  for (const [owner, edits] of byOwner(lost))
    if (owner !== agent)
      store.notes.add("told", owner, words.lostNote(edits, { command, agent, isOwner: true }));
  return [words.lostNote(near, { command, agent, isOwner: false })];
}

function byOwner(lost: readonly LostEdit[]): Map<string, LostEdit[]> {
  const owners = new Map<string, LostEdit[]>();
  for (const edit of lost)
    for (const owner of edit.agent.split(" or ")) owners.set(owner, [...(owners.get(owner) ?? []), edit]);
  return owners;
}
/** The files that a command showed, wrote, moved and removed. */

type Output = Extract<Event, { kind: "output" }>;

/** Files named in a command or its output, and those from the ledger, that are looked at. */
const namedFiles = 40;
const knownFiles = 60;

/** Notes for the model. */
export async function afterOutput(event: Output, here: GuardContext): Promise<string[]> {
  const { command, output } = event;
  const where = resolve(here.cwd, event.where ?? ".");
  const isOne = here.disk.isFile(where);
  const place = { ...here, cwd: isOne ? dirname(where) : where };
  // Some tools name files from where they searched, others from where they are.
  const folders = [...new Set([place.cwd, here.cwd])];
  const known = place.store.notes.all("seen", place.agent).filter((path) => typeof path === "string");
  const named = [
    ...(isOne ? [where] : []),
    ...pathsIn(spelled(command ?? "", place), namedFiles),
    ...pathsIn(output, namedFiles),
  ];
  const paths = named.flatMap((path) => folders.map((folder) => resolve(folder, path)));
  const found = command === null ? null : await watch({ kind: "after", command, where: place.cwd }, place);
  await credit(event, await candidates(paths, known, place), place);
  if (command === null) return [];
  await followMoves(command, known, place);
  // In the middle of a merge or a rebase nothing is lost yet.
  return found?.isUnderWay ? [] : lossNotes({ tool: event.tool, command }, place);
}

/** Variables that name folders, as the shell puts them in. */
function spelled(command: string, { cwd }: GuardContext): string {
  return command
    .replace(/\$\{?PWD\}?(?=[/"'])/g, () => cwd)
    .replace(/(^|[\s"'])~\//g, (_, before) => `${before}${homeFolder(process.env)}/`);
}

async function candidates(
  named: readonly string[],
  known: readonly string[],
  place: GuardContext,
): Promise<Candidate[]> {
  const found = new Map<string, Candidate>();
  const add = async (path: string, isNamed: boolean): Promise<void> => {
    if (found.has(path) || !place.disk.isFile(path)) return;
    await attempt(place, path, async () => {
      const bytes = await place.files.read(await place.files.identify(path));
      const lines = bytes && linesIn(bytes);
      if (lines) found.set(path, { path, lines, named: isNamed });
    });
  };
  for (const path of named) await add(resolve(place.cwd, path), true);
  for (const path of known.slice(-knownFiles)) await add(path, false);
  return [...found.values()];
}

/** The rows that the command printed, and the text it carried into files itself, count as seen. */
async function credit(
  { command, output }: Output,
  files: readonly Candidate[],
  place: GuardContext,
): Promise<void> {
  const texts = [output, ...(command === null ? [] : [carriedText(command)])].filter((text) => text !== "");
  // An empty file is shown by a command that prints nothing of it.
  const isShown = command !== null && /\b(cat|head|tail|less|more|nl|bat|type)\b/.test(command);
  for (const { path, lines, named } of files)
    if (isShown && named && lines.length === 0)
      await attempt(place, path, async () => {
        await place.sessionFor(path).observe({ path, rows: [] });
        seen(place, path);
      });
  for (const text of texts)
    for (const { path, rows } of creditOutput(text, files)) {
      const lines = files.find((file) => file.path === path)?.lines ?? [];
      await attempt(place, path, async () => {
        const shown = withBlankEdges(rows, lines);
        if ((await place.sessionFor(path).observe({ path, rows: shown })) > 0) seen(place, path);
      });
    }
}

/** Clients trim what a command prints: blank lines at the ends of a file are shown with those next to them. */
export function withBlankEdges(rows: readonly Row[], lines: readonly string[]): Row[] {
  const first = lines.findIndex((line) => line.trim() !== "");
  const last = lines.findLastIndex((line) => line.trim() !== "");
  const row = (index: number): Row => ({ line: index + 1, text: lines[index] ?? "" });
  const has = (index: number): boolean => rows.some(({ line }) => line === index + 1);
  const before = first > 0 && has(first) ? lines.slice(0, first).map((_, at) => row(at)) : [];
  const after = last >= 0 && has(last) ? lines.slice(last + 1).map((_, at) => row(last + 1 + at)) : [];
  return [...before, ...rows, ...after];
}

/** A file that was seen and is no longer there may stand, unchanged, where the command put it. */
async function followMoves(command: string, known: readonly string[], place: GuardContext): Promise<void> {
  if (!/\b(mv|cp|rename|ren|move|copy)\b/.test(command)) return;
  const words = pathsIn(command, namedFiles).map((path) => resolve(place.cwd, path));
  for (const path of known) {
    const targets = words.flatMap((from) => {
      const tail = path === from ? "" : path.startsWith(`${from}/`) ? path.slice(from.length) : null;
      if (tail === null) return [];
      return words.flatMap((to) => [to + tail, join(to, basename(from)) + tail]);
    });
    for (const target of new Set(targets))
      if (target !== path && place.disk.isFile(target))
        await attempt(place, target, async () => {
          if (await place.sessionFor(target).follow(path, target)) seen(place, target);
        });
  }
}
