import { basename, join } from "node:path";
import { glob } from "../../../host/index.js";
import { shimFile, startedBy } from "../command.js";
import type { Client, Off, Setup } from "../types.js";
import { readableValue, switchedOffIn } from "./scopes.js";

const title = "pi";
const file = join("extensions", "kedge.js");

const userFolder = ({ env, home }: Setup): string => env.PI_CODING_AGENT_DIR || join(home, ".pi", "agent");
const folder = (setup: Setup): string =>
  setup.scope === "user" ? userFolder(setup) : join(setup.project, ".pi");

/** `-path` takes one extension out, `!pattern` all that match, and `+path` brings one back: `pi config` writes these. */
function disabled(_: string, setup: Setup): Off | null {
  const settings = join(folder(setup), "settings.json");
  const listed = readableValue(setup.read(settings) ?? "", ["extensions"]);
  const entries = Array.isArray(listed) ? listed.filter((one) => typeof one === "string") : [];
  const ours = [file, basename(file), join(folder(setup), file)];
  const marked = (mark: string) =>
    entries.filter((one) => one.startsWith(mark)).map((one) => one.slice(1).replace(/^\.\//, ""));
  const isOut = marked("!").some((pattern) => ours.some((path) => glob(pattern, false).matches(path)));
  const isBack = marked("+").some((path) => ours.includes(path));
  if (!marked("-").some((path) => ours.includes(path)) && (!isOut || isBack)) return null;
  return switchedOffIn(settings, "extensions takes it out");
}

export const pi: Client = {
  ...{ name: "pi", title, program: "pi", startsTwice: true },
  refuses: (wanted) =>
    wanted.has("tools")
      ? "pi has no MCP servers, so Kedge's tools cannot be installed there; the guard can: kedge install pi"
      : null,
  files: (setup) => [shimFile(join(folder(setup), file), "pi/kedge.js", setup)],
  settings: () => [],
  started: (text) => startedBy(text, "pi"),
  disabled,
  notes: (_, { scope }) => [
    ...(scope === "project"
      ? [
          "The paths in .pi/extensions/kedge.js are those of this machine: keep it out of git.",
          "pi loads it only when it is started in this very folder, not below it, and since 0.74 only where the project is trusted: type /trust.",
        ]
      : []),
    "A pi that is running gets the guard with /reload.",
  ],
};
