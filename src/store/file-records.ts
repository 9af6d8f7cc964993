import { nameOf } from "../host/index.js";
import type { FileOutcome, FileRecord, RecordedLedger } from "../ports/index.js";
import { FileStates } from "./file-states.js";
import { namesIn } from "./lines/line-file.js";
import { repairing } from "./lines/put-aside.js";
import type { StoreContext } from "./lines/replace-file.js";
import { removeTree } from "./prune.js";
import { isDamaged, Records } from "./records.js";

const statesFile = "states.jsonl";
const ledgerEnding = ".json";
const mostFolders = 2000;

/** The records of files: a folder for each, with its states and a ledger for each agent. */
export class FileRecords {
  private readonly folder: string;
  private readonly states: FileStates;
  private readonly ledgers: Records;
  private readonly folders = new Map<string, string>();
  private readonly agents = new Map<string, string>();

  constructor(private readonly context: StoreContext) {
    this.folder = context.platform.path.join(context.folder, "files");
    this.states = new FileStates(context);
    this.ledgers = new Records(context);
  }

  look(file: string, agent: string): FileRecord {
    const found = this.states.get(this.statesOf(file));
    const entry = this.ledgers.get(this.ledgerOf(file, agent));
    // Two keys of one name: as good as none recorded.
    const { first = 0, states = [] } = found?.key === file ? found : {};
    const ledger = entry?.key === file && entry.agent === agent ? entry.record : null;
    return { first, states, ledger };
  }

  set({ file, like, isGone, states, ledger }: FileOutcome, agent: string): void {
    if (like !== undefined) this.copy(like, file);
    if (isGone) this.forget(file);
    if (states) this.states.set(this.statesOf(file), file, states);
    if (ledger) this.ledgers.set(this.ledgerOf(file, agent), { key: file, agent, record: ledger.record });
  }

  all(): RecordedLedger[] {
    return this.ledgerFiles().flatMap((path) => {
      const entry = this.ledgers.get(path);
      return entry?.agent === undefined
        ? []
        : [{ file: entry.key, agent: entry.agent, ledger: entry.record }];
    });
  }

  damaged(): number {
    return this.ledgerFiles().filter((path) => isDamaged(this.context, path)).length;
  }

  private copy(from: string, to: string): void {
    this.forget(to);
    const { path } = this.context.platform;
    const [source, target] = [this.folderOf(from), this.folderOf(to)];
    const found = this.states.get(this.statesOf(from));
    if (!found) return;
    this.states.set(this.statesOf(to), to, { from: found.first, states: found.states });
    for (const name of namesIn(this.context, source).filter((one) => one.endsWith(ledgerEnding))) {
      const entry = this.ledgers.get(path.join(source, name));
      if (entry) this.ledgers.set(path.join(target, name), { ...entry, key: to });
    }
  }

  private forget(file: string): void {
    const folder = this.folderOf(file);
    repairing(this.context, folder, () => removeTree(this.context, folder));
  }

  private ledgerFiles(): string[] {
    const { path } = this.context.platform;
    return namesIn(this.context, this.folder).flatMap((name) => {
      const folder = path.join(this.folder, name);
      const files = namesIn(this.context, folder).filter((one) => one.endsWith(ledgerEnding));
      return files.map((one) => path.join(folder, one));
    });
  }

  private statesOf(file: string): string {
    return this.context.platform.path.join(this.folderOf(file), statesFile);
  }

  private ledgerOf(file: string, agent: string): string {
    return this.context.platform.path.join(
      this.folderOf(file),
      `${nameIn(this.agents, agent)}${ledgerEnding}`,
    );
  }

  private folderOf(file: string): string {
    return this.context.platform.path.join(this.folder, nameIn(this.folders, file));
  }
}

function nameIn(known: Map<string, string>, key: string): string {
  let name = known.get(key);
  if (name === undefined) {
    if (known.size >= mostFolders) known.clear();
    name = nameOf(key);
    known.set(key, name);
  }
  return name;
}
