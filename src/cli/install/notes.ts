/** What somebody should know after installing, whatever the client. */
import { findProgram } from "../../node/index.js";
import type { Context } from "../context.js";
import { type Prepared, shortened } from "./prepare.js";
import type { Client, ConfigFile, Part, Setup } from "./types.js";

export function notesOn({ client, setup }: Prepared, wanted: ReadonlySet<Part>, { env }: Context): string[] {
  const notes = [...client.notes(wanted, setup)];
  const note = (isTrue: boolean, text: string): void => void (isTrue && notes.push(text));
  const { title, program } = client;
  const other = guardedElsewhere(client, setup);
  note(
    other !== null && client.startsTwice === true,
    `${other} guards ${title} as well: every call starts the guard twice. Take one of them out with kedge uninstall ${client.name} --scope user or project.`,
  );
  note(
    wanted.has("tools") && /[\\/]_npx[\\/]/.test(setup.program),
    "This kedge is in the cache of npx, which may be cleared: install it (npm install -g kedge), then run this again.",
  );
  note(
    setup.state !== null && process.platform === "win32",
    `Set KEDGE_STATE=${setup.state} where ${title} is started: on Windows its hooks cannot carry it.`,
  );
  note(
    findProgram(program, { searchPath: env.PATH }) === null,
    `${title} was not found: there is no ${program} on the PATH. The configuration waits for it.`,
  );
  return notes;
}

/** The file of the other scope that holds the guard; null if none does. */
function guardedElsewhere(client: Client, setup: Setup): string | null {
  const scope = setup.scope === "user" ? "project" : "user";
  const [config] = client.files({ ...setup, scope }) as [ConfigFile];
  const text = setup.read(config.path);
  try {
    return text !== null && config.has(text).includes("guard") ? shortened(config.path, setup) : null;
  } catch {
    // The client cannot read it either.
    return null;
  }
}
