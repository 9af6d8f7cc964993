import { clearBeside, type Disk, type Plan, settle } from "../../disk/index.js";
import type { Intent } from "../../ports/index.js";
import type { TreeNames } from "../tree-names.js";

/** An intent that another call left. */
export interface Claimed {
  readonly token: string;
  readonly intent: Intent;
}

/** As the store has it: other hosts have the tree elsewhere. */
export function storedIntent(intent: Intent, names: TreeNames): Intent {
  return movedIntent(intent, (path) => names.stored(path));
}

/**
 * Puts right what a dead call left: first its temporary files go, so that a rename of its own, should it only have been
 * paused, fails; then its batch is finished or taken back. Files that are not on this host are left as they are.
 */
export function putRight({ intent: stored }: Claimed, names: TreeNames, disk: Disk): void {
  const isHere = (path: string): boolean => names.key(path) !== null;
  const plan = stored.plan as Plan | undefined;
  const intent = movedIntent(
    {
      ...stored,
      files: stored.files.filter(({ path }) => isHere(path)),
      ...(plan ? { plan: { ...plan, items: plan.items.filter(({ real }) => isHere(real)) } } : {}),
    },
    (path) => names.path(path),
  );
  if (!intent.plan) {
    for (const { path } of intent.files) clearBeside(disk, path, intent.token);
    return;
  }
  const { items } = intent.plan as Plan;
  const how = settle(disk, intent.plan as Plan);
  disk.report(`${how} a batch that was interrupted: ${items.map(({ real }) => real).join(", ")}`);
}

function movedIntent({ plan, ...intent }: Intent, move: (path: string) => string): Intent {
  const { items = [], folders = [], ...rest } = (plan ?? {}) as Partial<Plan>;
  return {
    ...intent,
    files: intent.files.map((file) => ({ ...file, path: move(file.path) })),
    ...(plan
      ? {
          plan: {
            ...{ ...rest, folders: folders.map(move) },
            items: items.map((item) => ({ ...item, real: move(item.real) })),
          },
        }
      : {}),
  };
}
