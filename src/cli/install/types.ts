import type { Environment } from "../context.js";

/** The parts that can be installed: hooks; our tools; the client's own editing tools turned off. */
export const parts = ["guard", "tools", "exclusive"] as const;
export type Part = (typeof parts)[number];

export type Scope = "user" | "project";

/** The facts that a client's configuration is written from. */
export interface Setup {
  readonly scope: Scope;
  readonly home: string;
  /** The top of the project. */
  readonly project: string;
  /** The folders from the top of the project to the working directory: a client started there reads settings of these. */
  readonly folders: readonly string[];
  readonly env: Environment;
  readonly node: string;
  /** The guard's program. */
  readonly hook: string;
  /** The command line's program, which has the MCP server. */
  readonly program: string;
  /** The state folder, if it is not the one that a program finds by itself. */
  readonly state: string | null;
  readonly failClosed: boolean;
  /** The text of a file in the package's folder `plugins`. */
  readonly plugin: (name: string) => string;
  /** The text of any file; null if it cannot be read. */
  readonly read: (path: string) => string | null;
  /** The names in any folder; none if it cannot be read. */
  readonly list: (folder: string) => readonly string[];
}

/** A file's text before anything of ours was in it; null: there was no file; undefined: nobody knows any more. */
export type Base = string | null | undefined;

/** A file that installing changes. */
export interface ConfigFile {
  readonly path: string;
  /** Parts that it holds now. */
  has(text: string): readonly Part[];
  /** null: there is no file, and none is needed. */
  put(text: string | null, wanted: ReadonlySet<Part>): string | null;
  /** Names the parts of the guard that are missing or were changed, whatever program is started. */
  gaps?(text: string): readonly string[];
  /** null: there was no file, and nothing is left in it. */
  take(text: string, unwanted: ReadonlySet<Part>, base: Base): string | null;
}

/** The command that a client starts for a hook. */
export interface Started {
  readonly argv: readonly [string, ...string[]];
  /** The words that a shell makes of it, where it goes through one. */
  readonly words?: readonly string[];
}

/** Why a client would not start the guard, and what to do. */
export interface Off {
  readonly why: string;
  /** The file that says so. */
  readonly file?: string;
  readonly todo: string;
}

export interface Client {
  readonly name: string;
  /** As people know it. */
  readonly title: string;
  /** The name of its program on the PATH. */
  readonly program: string;
  /** Hooks of the user's and of a project's configuration both run. */
  readonly startsTwice?: boolean;
  /** Why these parts cannot be installed there; null if they can. */
  refuses(wanted: ReadonlySet<Part>, setup: Setup): string | null;
  files(setup: Setup): readonly ConfigFile[];
  /** Returns the command that runs before an edit, by the text of the first file; null if it is not ours. */
  started(text: string, setup: Setup): Started | null;
  /** Files of settings in every scope that the client reads: the person's, the project's, the organisation's. */
  settings(setup: Setup): readonly string[];
  /** Why the client would not start it all the same; null if it will. */
  disabled?(text: string, setup: Setup): Off | null;
  /** Notes for a person after installing. */
  notes(wanted: ReadonlySet<Part>, setup: Setup): readonly string[];
}
