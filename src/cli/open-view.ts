import { readFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { compare, LineChange, unifiedDiff } from "../changes/index.js";
import { type FleetStore, OtherTree } from "../fleet/index.js";
import { findRepository, nodeIo } from "../host/index.js";
import { nameOfAgent } from "../ledger/index.js";
import type { LostEdit, RestoreDetails, UndoDetails } from "../lost/index.js";
import type { JournalEntry } from "../ports/index.js";
import { Document } from "../text/index.js";
import { openTree } from "../tree/index.js";
import type { ActionAnswer, TreeView, ViewActions } from "../view/index.js";
import { chosenStore, workspaceFor } from "../workspace/index.js";
import { lookingAt } from "./commands/history/lost.js";
import type { Context } from "./context.js";
import { type Opened, openRecord } from "./open-workspace.js";

export interface OpenedView {
  readonly source: TreeView;
  /** null: the files are on another host. */
  readonly actions: ViewActions | null;
  readonly opened: Opened;
}

/** Opens the live view of the workspace around the working directory. */
export async function openView(context: Context): Promise<OpenedView> {
  const view = await import("../view/index.js");
  const { root } = workspaceFor(context.cwd, []);
  // From the top of the tree, so that paths read the same in every part of the view.
  const here = { ...context, cwd: root };
  const opened = await openRecord(here);
  const tree = await treeHere(opened);
  const { files, store, session, options } = opened;
  const { agent, clock } = options;
  const source = new view.TreeView({
    look: { files, store, agent, clock, codec: options.codec ?? null },
    repository: tree.name ?? basename(root),
    hasActions: tree.isHere,
    branch: async () => (tree.isHere ? branchOf(root) : null),
    lost: async (): Promise<readonly LostEdit[]> =>
      tree.isHere ? session.lost(lookingAt(here, opened)) : [],
    words: (one) => nameOfAgent(one, store),
    shownPath: (key) => relative(root, key) || key,
    lookAtTree: async () => (tree.isHere ? lookAtTree(here, opened) : undefined),
    stamp: async (key) => stampOf(key),
    diff: (entry) => diffOf(entry, opened),
  });
  return { source, actions: tree.isHere ? actionsOf(here, opened) : null, opened };
}

/** Whether the files that the record is of are on this host: else they can be neither compared nor changed. */
async function treeHere({
  store,
  settings,
  workspace,
}: Opened): Promise<{ readonly name: string | null; readonly isHere: boolean }> {
  const chosen = chosenStore(settings, workspace);
  if (!chosen) return { name: null, isHere: true };
  try {
    await (store as FleetStore).arrive();
    return { name: chosen.tree, isHere: true };
  } catch (error) {
    if (error instanceof OtherTree) return { name: chosen.tree, isHere: false };
    throw error;
  }
}

/** Looks at the tree now and then: files that are saved while a command runs are on record only after a look. */
async function lookAtTree(
  { env }: Context,
  { workspace, files, store, settings, options }: Opened,
): Promise<void> {
  const { root } = workspace;
  const tree = openTree({ root, files, store, clock: options.clock, env, mode: settings.tree ?? "dirty" });
  await tree.observe({ kind: "tool", agent: options.agent, cwd: root });
}

/** Read from HEAD itself, so that no program is started each second. */
function branchOf(root: string): string | null {
  const repository = findRepository(root);
  if (!repository) return null;
  try {
    const head = readFileSync(join(repository.git, "HEAD"), "utf8").trim();
    return /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? head.slice(0, 8);
  } catch {
    return null;
  }
}

function stampOf(key: string): string | null {
  try {
    const stat = nodeIo.lstat(key);
    return stat.isFile() ? `${stat.ino} ${stat.size} ${stat.mtimeNs}` : null;
  } catch {
    // Gone, or out of reach: a file may stand now where its folder was. The view goes on with the others.
    return null;
  }
}

async function diffOf(
  { before, after, path, change }: JournalEntry,
  { store }: Opened,
): Promise<string | null> {
  const ids = [before, after].filter((id) => id !== null);
  const texts = await store.versions(ids);
  const [one, two] = [before, after].map((id) => {
    const bytes = id === null ? new Uint8Array(0) : texts.get(id);
    return bytes ? Document.parse(bytes) : null;
  });
  if (!one || !two) return null;
  return unifiedDiff(path, one, two, change ? LineChange.fromJSON(change) : compare(one, two));
}

function actionsOf(context: Context, opened: Opened): ViewActions {
  const { session } = opened;
  return {
    async restore({ ids, dryRun }): Promise<ActionAnswer> {
      const result = await session.restore({ ...lookingAt(context, opened), ids, dryRun });
      const details = result.details as Partial<RestoreDetails>;
      const { restored = [] } = details;
      return {
        ok: !result.isError,
        text: result.text,
        diff: restored.map(({ diff }) => diff).join("\n"),
        paths: restored.map(({ path }) => path),
      };
    },
    async undo({ ids, dryRun }): Promise<ActionAnswer> {
      const result = await session.undo({ id: ids[0] as string, dryRun });
      const { undone = [] } = result.details as Partial<UndoDetails>;
      return {
        ok: !result.isError,
        text: result.text,
        diff: undone.map(({ diff }) => diff).join("\n"),
        paths: undone.map(({ path }) => path),
      };
    },
  };
}
