import { join } from "node:path";
import { shimFile, startedBy } from "../command.js";
import type { Client } from "../types.js";

const title = "pi";

export const pi: Client = {
  ...{ name: "pi", title, program: "pi", startsTwice: true },
  refuses: (wanted) =>
    wanted.has("tools")
      ? "pi has no MCP servers, so Kedge's tools cannot be installed there; the guard can: kedge install pi"
      : null,
  files(setup) {
    const { scope, env, home, project } = setup;
    const user = env.PI_CODING_AGENT_DIR || join(home, ".pi", "agent");
    const folder = scope === "user" ? user : join(project, ".pi");
    return [shimFile(join(folder, "extensions", "kedge.js"), "pi/kedge.js", setup)];
  },
  settings: () => [],
  started: (text) => startedBy(text, "pi"),
  notes: (_, { scope }) => [
    ...(scope === "project"
      ? [
          "The paths in .pi/extensions/kedge.js are those of this machine: keep it out of git.",
          "pi loads it only when it is started in this very folder, not below it.",
        ]
      : []),
    "A pi that is running gets the guard with /reload.",
  ],
};
