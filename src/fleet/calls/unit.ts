import { newToken } from "../../host/index.js";
import {
  agentRecord,
  type Fence,
  type FileId,
  type FileRecord,
  type Intent,
  type NamedRecord,
  type Outcome,
  PortError,
  type Unit,
} from "../../ports/index.js";
import type { Ground } from "../ground.js";
import { type Begun, beginUnit } from "./begin.js";
import { storedIntent } from "./intents.js";
import { Lease, thisMoment } from "./lease.js";
import { finishUnit } from "./outcome.js";

interface UnitOf {
  readonly files: readonly FileId[];
  readonly agent: string;
  readonly intent?: Intent | undefined;
}

/** One call in the store: begun and finished in one round trip each; an intent that was not known at first takes one between. */
export class StoreUnit {
  private readonly lease: Lease;
  private begun: Begun | null = null;
  private intent: Intent | null = null;
  private readonly files: readonly FileId[];
  private readonly agent: string;
  /** The intent that is known when it begins, and the one that is on record now. */
  private readonly announced: string | null;
  private recorded: string | null = null;

  constructor(
    private readonly ground: Ground,
    { files, agent, intent }: UnitOf,
  ) {
    this.files = files;
    this.agent = agent;
    this.announced = intent && files.length > 0 ? storedText(intent, ground) : null;
    const paths = files.map(({ path }) => path).join(", ");
    this.lease = new Lease(newToken(ground.clock), ground.lease, thisMoment(), paths);
  }

  async run<T>(body: (unit: Unit) => Promise<T>): Promise<T> {
    const { reader, leases } = this.ground;
    leases.enter(this.lease);
    try {
      await this.begin();
      return await body({
        look: (file, agent) => this.look(file, agent),
        versions: (ids) => reader.versions(ids),
        journal: (query) => reader.journal(query),
        journalSince: (mark) => reader.journalSince(mark),
        record: (name) => this.record(name),
        finish: (outcome) => this.finish(outcome),
        ...(this.files.length > 0 ? { fence: this.fence() } : {}),
      });
    } finally {
      await this.end().finally(() => leases.leave(this.lease));
    }
  }

  private async begin(): Promise<void> {
    const { ground, files, agent, lease } = this;
    const { announced: intent } = this;
    this.begun = await beginUnit(ground, { files, agent, lease, records: [agentRecord(agent)], intent });
    this.recorded = intent;
    if (files.length > 0) ground.leases.add(lease);
  }

  /** Takes the files again, if they were let go since. */
  private async stillHeld(): Promise<void> {
    if (this.begun === null) await this.begin();
  }

  private async look(file: string, agent: string): Promise<FileRecord> {
    const loaded = agent === this.agent ? this.begun?.files.get(file) : undefined;
    return loaded ?? this.ground.reader.look(file, agent);
  }

  private async record(name: string): Promise<NamedRecord | null> {
    const loaded = this.begun?.records.get(name);
    return loaded === undefined ? this.ground.reader.record(name) : loaded;
  }

  private fence(): Fence {
    const { lease, ground } = this;
    return {
      intent: async (intent) => {
        await this.stillHeld();
        this.intent = intent;
        const stored = storedText(intent, ground);
        if (stored === this.recorded) lease.check();
        else await this.intend(stored, intent.isBound === true);
        ground.at?.("intended");
      },
      check: () => lease.check(),
      abandon: () => {
        lease.isAbandoned = true;
      },
    };
  }

  private async intend(stored: string, isBound: boolean): Promise<void> {
    const { lease, ground } = this;
    const now = thisMoment();
    const values = [lease.token, stored, isBound, lease.length];
    const [row] = await ground.database.ask("select kedge.intend_1($1, $2, $3, $4) as held", values);
    if (row?.held !== true) {
      lease.lose();
      throw lease.over();
    }
    this.recorded = stored;
    lease.extend(now);
  }

  private async finish(outcome: Outcome): Promise<void> {
    if (this.lease.isAbandoned)
      throw new PortError("busy", "the locks of the call are gone; nothing is recorded");
    await this.stillHeld();
    this.begun = null;
    this.ground.leases.remove(this.lease);
    const { files, agent, lease, intent } = this;
    await finishUnit(
      this.ground,
      { files, agent, token: lease.token, hasPlan: intent?.plan !== undefined },
      outcome,
    );
  }

  /** Lets go of what is held; what is abandoned stays until its lease is over. */
  private async end(): Promise<void> {
    const { ground, lease, files } = this;
    ground.leases.remove(lease);
    if (this.begun === null || files.length === 0 || lease.isAbandoned) return;
    const values = [ground.tree, lease.token, ground.columns(files)];
    await ground.database.ask("select kedge.release_1($1, $2, $3)", values, ground.brief).catch(() => {
      // It runs out by itself.
    });
  }
}

function storedText(intent: Intent, { names }: Ground): string {
  return JSON.stringify(storedIntent(intent, names));
}
