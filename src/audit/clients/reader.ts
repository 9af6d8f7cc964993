import { type Adapter, adapters } from "../../guard/index.js";
import type { SessionFile } from "../sessions/steps.js";

/** Where a client's own default folders are found. */
export interface Machine {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

/** A file that may hold sessions. */
export interface FoundFile {
  readonly path: string;
  /** In bytes. */
  readonly size: number;
  /** When it was last written to, in milliseconds. */
  readonly changed: number;
}

/** How one client keeps its sessions. Adding one is a file and a line in index.ts. */
export interface SessionReader {
  readonly client: string;
  /** Its default folders on this machine. */
  folders(machine: Machine): readonly string[];
  /** `head`: the beginning of the file. */
  isSession(path: string, head: string): boolean;
  files(file: FoundFile): readonly SessionFile[];
}

/** The guard's own translator of a client's events. */
export function adapterOf(client: string): Adapter {
  const adapter = adapters[client];
  if (!adapter) throw new Error(`there is no adapter for ${client}`);
  return adapter;
}
