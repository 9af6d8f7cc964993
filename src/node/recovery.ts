import { PortError } from "../session/index.js";
import { temporaryNames } from "./commit.js";
import { reason } from "./failure.js";
import { type Disk, Folder } from "./folder.js";
import type { Locks } from "./lock.js";
import type { LockRecord } from "./lockfile.js";
import { newToken } from "./names.js";
import type { Plans } from "./plan.js";
import { clearUp, rollBack } from "./rollback.js";

/** Puts right what processes left that died in the middle of something. */
export class Recovery {
  constructor(
    private readonly disk: Disk,
    private readonly plans: Plans,
    private readonly locks: Locks,
    private readonly clock: () => number,
  ) {}

  /** At the start of every door. Never fails: what cannot be put right is reported. */
  async all(isBrief: boolean): Promise<void> {
    const { report } = this.disk;
    try {
      for (const id of this.plans.ids()) {
        await this.one(id, { wait: 0, ownerIsDead: false }).catch((error) => {
          // Held by somebody alive: then it is not unfinished but under way.
          if (!(error instanceof PortError && error.code === "busy")) report(reason(error));
        });
      }
      if (!isBrief) this.locks.sweep();
    } catch (error) {
      report(`looking for unfinished batches failed: ${reason(error)}`);
    }
  }

  /** Undoes one batch, or clears up after it, while its files are held: so its owner is not at work any more. */
  async one(id: string, { wait, ownerIsDead }: { wait: number; ownerIsDead: boolean }): Promise<void> {
    const found = this.plans.read(id, ownerIsDead);
    if (found === null) return;
    const files = found.plan.items.map(({ key, path, real }) => ({ key, path, real }));
    const undo = async (): Promise<void> => {
      const now = this.plans.read(id, true);
      if (now === null) return;
      if (now.phase === "done") clearUp(this.disk, now.plan);
      else rollBack(this.disk, now.plan, now.phase);
      this.plans.forget(id);
      if (now.phase === "apply") {
        this.disk.report(`undid a batch that was interrupted: ${files.map(({ path }) => path).join(", ")}`);
      }
    };
    await this.locks.hold(files, undo, { wait, adopt: id });
  }

  /** What a process that died within a commit left beside the file. */
  clearAfter({ path, token }: LockRecord): void {
    if (path === "") return;
    try {
      const folder = Folder.open(this.disk, this.disk.platform.path.dirname(path));
      for (const name of temporaryNames(token)) folder?.discard(name);
      folder?.close();
    } catch (error) {
      this.disk.report(`clearing up beside ${path} failed: ${reason(error)}`);
    }
  }

  /** Remembers a temporary file that cannot be removed now. */
  leave(path: string): void {
    this.locks.renew();
    try {
      const id = newToken(this.clock);
      this.plans.write({ format: 1, id, items: [], folders: [], leftovers: [path] }, "done");
    } catch {
      // The lock cannot be removed either, most likely; then whoever breaks it clears up.
    }
    this.disk.report(`${path} is a temporary file that could not be removed; it will be at the next start`);
  }
}
