import { explained, failure, reason, type Stat } from "../host/index.js";
import { type Content, type Fence, type Measure, PortError } from "../ports/index.js";
import type { Item, Phase, Plan, Plans } from "./batch-plan.js";
import { clearUp, overwrite, rollBack } from "./batch-recovery.js";
import {
  bytesOf,
  type Commit,
  checkKind,
  checkWritable,
  isShared,
  patiently,
  type Target,
  temporaryName,
} from "./commit-file.js";
import { type Disk, Folder } from "./folder-handle.js";
import { Measuring } from "./measure.js";
import { isStillSame, isUntouched, keepName, lookAtContent } from "./replaced-file.js";
import { Bound, type Copied, makeOne, missingFolders, putNew, writeTemporary } from "./temp-file.js";

/** One file of a batch on its way. */
interface Step {
  readonly item: Item;
  readonly target: Target;
  readonly folder: Folder;
  readonly name: string;
  readonly stat: Stat | null;
  /** As it was when its bytes were compared. */
  seen?: Stat | null;
}

/** The intent of a fence is the plan. */
const noPlans: Pick<Plans, "write" | "advance" | "forget"> = {
  write: () => {},
  advance: () => {},
  forget: () => {},
};

/** The batch could not be undone: its locks stay, and whoever finds them undoes it first. */
export class HalfDone extends PortError {}

/**
 * Several files, all or none, also after a crash: the plan is written first, everything new is prepared and flushed
 * under temporary names, then only renames are left. True: all of it is done. False, or an error: none of it. With a
 * fence the plan goes with the intent, to where every host finds it.
 */
export async function commitBatch(
  disk: Disk,
  own: Plans,
  targets: readonly Target[],
  commit: Commit & { inPlace: boolean },
): Promise<boolean> {
  const plans = commit.fence ? noPlans : own;
  const folders = new Map<string, Folder>();
  let phase: Phase | null = null;
  let plan: Plan | null = null;
  try {
    const planned = makePlan(disk, targets, commit);
    if (planned === null) return false;
    plan = planned.plan;
    phase = "prepare";
    plans.write(plan, phase);
    const intended = plan.items.map(({ op, real, fresh }) => ({
      path: real,
      temporary: op === "remove" ? null : fresh,
    }));
    const isBound = plan.items.some(({ op }) => op === "remove" || op === "overwrite");
    await commit.fence?.intent({ token: plan.id, files: intended, isBound, plan });
    const steps = openSteps(disk, planned, targets, folders);
    const ready = steps !== null && (await prepare(disk, steps));
    if (ready) {
      commit.check(targets[0]?.path ?? "");
      commit.fence?.check();
      plans.advance(plan.id, phase, "apply");
      phase = "apply";
      const applied = await apply(disk, steps, commit);
      for (const folder of folders.values()) folder.flush();
      // Taken over by now, it may be taken back at any moment.
      commit.fence?.check();
      if (applied && isUntouchedByOthers(steps)) {
        plans.advance(plan.id, phase, "done");
        phase = "done";
      }
    }
  } catch (error) {
    const failed = failure("write", describe(targets), error);
    if (plan && phase) undo(disk, plans, { plan, phase, failed, fence: commit.fence });
    throw error instanceof Bound ? error : failed;
  } finally {
    for (const folder of folders.values()) folder.close();
  }
  if (phase !== "done") {
    undo(disk, plans, { plan, phase, failed: null, fence: commit.fence });
    return false;
  }
  finish(disk, plans, plan);
  return true;
}

const describe = (targets: readonly Target[]): string =>
  targets.length === 1
    ? (targets[0]?.path ?? "")
    : `the batch (${targets.map(({ path }) => path).join(", ")})`;

/** Says which file of several it was. */
function about<T>(target: Target, isOnly: boolean, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw naming(target, isOnly, error);
  }
}

function naming({ path, after }: Target, isOnly: boolean, error: unknown): unknown {
  if (isOnly || error instanceof PortError || error instanceof Bound) return error;
  return new Error(`${path}: ${explained(after === null ? "delete" : "write", error)}`, { cause: error });
}

interface Undoing {
  readonly plan: Plan;
  readonly phase: Phase;
  readonly failed: PortError | null;
  readonly fence: Fence | undefined;
}

function undo(disk: Disk, plans: typeof noPlans, { plan, phase, failed, fence }: Undoing): void {
  // The batch is taken back by whoever holds the files by now.
  if (phase === "apply" && fence && !isHeld(fence)) {
    const paths = plan.items.map(({ path }) => path).join(", ");
    const which = `the locks on ${paths} ran out while the batch was being written`;
    throw new HalfDone("busy", `${which}: whoever takes the files next takes it back; read them again`);
  }
  try {
    rollBack(disk, plan, phase);
    plans.forget(plan.id);
  } catch (error) {
    const first = failed ? `${failed.message}; then ` : "";
    throw new HalfDone(
      "io",
      `${first}undoing it failed: ${reason(error)}; it will be undone at the next start`,
      { cause: error },
    );
  }
}

function isHeld(fence: Fence): boolean {
  try {
    fence.check();
    return true;
  } catch {
    return false;
  }
}

function finish(disk: Disk, plans: typeof noPlans, plan: Plan): void {
  try {
    clearUp(disk, plan);
    plans.forget(plan.id);
  } catch (error) {
    disk.report(`the batch is written; clearing up after it is left for the next start: ${reason(error)}`);
  }
}

interface Planned {
  readonly plan: Plan;
  readonly targets: ReadonlyMap<Item, Target>;
}

function isAsDecided({ before, respells }: Target, stat: Stat | null): boolean {
  return respells || (stat === null) === (before === null);
}

/** null if a file was made or removed since the decision. */
function makePlan(
  disk: Disk,
  targets: readonly Target[],
  commit: Commit & { inPlace: boolean },
): Planned | null {
  const planned = new Map<Item, Target>();
  const missing = new Set<string>();
  for (const [number, target] of targets.entries()) {
    const { path } = disk.platform;
    const folder = about(target, targets.length === 1, () => Folder.open(disk, path.dirname(target.real)));
    let stat: Stat | null = null;
    try {
      stat = folder?.stat(path.basename(target.real)) ?? null;
    } finally {
      folder?.close();
    }
    if (!isAsDecided(target, stat)) return null;
    if (target.before === null && target.after === null) continue;
    if (folder === null) for (const one of missingFolders(disk, path.dirname(target.real))) missing.add(one);
    const item: Item = {
      op: operation(target, commit.inPlace || isShared(stat)),
      key: target.key,
      path: target.path,
      real: target.real,
      fresh: temporaryName(commit.token, 2 * number + 1),
      old: temporaryName(commit.token, 2 * number + 2),
      after: target.after && measureOf(target.after),
    };
    planned.set(item, target);
  }
  const folders = [...missing].sort((a, b) => a.length - b.length);
  const items = [...planned.keys()];
  return { plan: { format: 1, id: commit.token, items, folders, leftovers: [] }, targets: planned };
}

function measureOf(content: Content): Measure {
  if (!(content instanceof Uint8Array)) return content;
  const measuring = new Measuring();
  measuring.add(content);
  return measuring.measure;
}

function operation(target: Target, inPlace: boolean): Item["op"] {
  if (target.before === null) return "create";
  if (target.after === null) return "remove";
  return inPlace ? "overwrite" : "replace";
}

/** null if a file was made or removed since the plan. */
function openSteps(
  disk: Disk,
  { plan, targets: planned }: Planned,
  targets: readonly Target[],
  folders: Map<string, Folder>,
): Step[] | null {
  const { path } = disk.platform;
  for (const folder of plan.folders) {
    const target = targets.find(({ real }) => real.startsWith(folder)) as Target;
    about(target, targets.length === 1, () => makeOne(disk, folder));
  }
  const steps: Step[] = [];
  for (const [item, target] of planned) {
    const above = path.dirname(item.real);
    const folder = folders.get(above) ?? Folder.open(disk, above);
    if (folder === null) return null;
    folders.set(above, folder);
    const name = path.basename(item.real);
    const found = folder.stat(name);
    if (!isAsDecided(target, found)) return null;
    const stat = target.respells ? null : found;
    if (stat !== null) {
      checkKind(stat, target);
      checkWritable(disk, folder.at(name), target);
    }
    steps.push({ item, target, folder, name, stat });
  }
  return steps;
}

/** Everything that can fail for want of space or rights happens here. False: a file has changed. */
async function prepare(disk: Disk, steps: Step[]): Promise<boolean> {
  for (const step of steps) {
    try {
      await prepareOne(disk, step, steps);
    } catch (error) {
      throw naming(step.target, steps.length === 1, error);
    }
  }
  for (const step of steps) {
    if (step.item.op === "create") continue;
    step.seen = await lookAtContent(disk, step.folder, step.name, step.target.before);
    if (step.seen === null) return false;
  }
  return true;
}

async function prepareOne(disk: Disk, step: Step, steps: readonly Step[]): Promise<void> {
  const { item, target, folder, stat } = step;
  if (target.after !== null) {
    const like = stat ?? movedFrom(steps, target);
    const bytes = target.after instanceof Uint8Array ? target.after : sourceOf(steps, target);
    await writeTemporary(disk, folder, { name: item.fresh, bytes, like, replaces: item.op === "replace" });
  }
  if (item.op === "replace" || item.op === "overwrite") await keepOld(disk, step);
}

/** A file that is not held in memory is moved by a copy of it: it may go to another disk, and must survive a crash. */
function sourceOf(steps: readonly Step[], { from, after }: Target): Copied {
  const source = steps.find(({ item, target }) => item.op === "remove" && target.key === from);
  if (!source || after === null || after instanceof Uint8Array)
    throw new Error("what was measured can only be moved");
  return { folder: source.folder, name: source.name, measure: after };
}

/** A moved file keeps its mode and owner. One with the very bytes of one that is removed was moved, too. */
function movedFrom(steps: readonly Step[], { from, after }: Target): Stat | null {
  const removed = steps.filter(({ item }) => item.op === "remove");
  const source =
    removed.find(({ target }) => target.key === from) ??
    removed.find(({ target }) => isSameContent(target.before, after));
  return source?.stat ?? null;
}

function isSameContent(one: Content | null, two: Content | null): boolean {
  return one instanceof Uint8Array && two instanceof Uint8Array && Buffer.compare(one, two) === 0;
}

/** A second name costs nothing and needs no space when it is wanted back. In place, only a copy survives. */
async function keepOld(disk: Disk, { item, target, folder, name, stat }: Step): Promise<void> {
  if (item.op === "replace" && keepName(disk, folder, name, item.old)) return;
  const bytes = bytesOf(target.before);
  await writeTemporary(disk, folder, { name: item.old, bytes, like: stat, replaces: false });
}

/** A writer who does not lock may have written into a file while it was replaced: then that is brought back. */
function isUntouchedByOthers(steps: readonly Step[]): boolean {
  return steps.every(({ item, folder, seen }) => {
    const kept = seen && item.op !== "overwrite" ? folder.stat(item.old) : null;
    // A copy, where files have one name only, is not the file that they wrote into.
    return !kept || !seen || kept.ino !== seen.ino || isUntouched(kept, seen);
  });
}

async function apply(disk: Disk, steps: readonly Step[], { fence }: Commit): Promise<boolean> {
  for (const step of steps) {
    let applied = false;
    try {
      await patiently(disk, step.target.path, () => {
        fence?.check();
        applied = applyOne(disk, step);
      });
    } catch (error) {
      throw naming(step.target, steps.length === 1, error);
    }
    if (!applied) return false;
  }
  return true;
}

function applyOne(disk: Disk, { item, target, folder, name, seen }: Step): boolean {
  if (item.op === "create") return putNew(disk, folder, item.fresh, name);
  if (!seen || !isStillSame(folder, name, seen)) return false;
  if (item.op === "remove") disk.io.rename(folder.at(name), folder.at(item.old));
  else if (item.op === "replace") disk.io.rename(folder.at(item.fresh), folder.at(name));
  else overwrite(disk, folder.at(name), bytesOf(target.after));
  return true;
}
