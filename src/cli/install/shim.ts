/** Plugins that run inside a client: one file, which hands every event on to the guard's program. */
import { ownFile } from "./configfile.js";
import type { ConfigFile, Setup, Started } from "./types.js";

const placeholder = /const installed = \{[\s\S]*?\n\};/;

/** The plugin as it ships, with the paths of this installation in it. */
export function shimFile(path: string, name: string, setup: Setup): ConfigFile {
  const { node, hook, state, failClosed } = setup;
  const installed = { node, hook, args: state === null ? [] : ["--state", state], failClosed };
  const text = `const installed = ${JSON.stringify(installed, null, 2)};`;
  const content = setup.plugin(name).replace(placeholder, () => text);
  return ownFile(path, content, "// Kedge's guard for ");
}

/** What an installed plugin starts; null if it is none of ours. */
export function startedBy(text: string, client: string): Started | null {
  const found = /const installed = (\{[\s\S]*?\n\});/.exec(text)?.[1];
  if (!found) return null;
  const {
    node,
    hook,
    args = [],
  } = JSON.parse(found) as Pick<Setup, "node" | "hook"> & {
    readonly args?: readonly string[];
  };
  return { argv: [node, hook, client, ...args] };
}
