/** Our tools over HTTP in real clients, configured as docs/fleet.md says: with real clients, `npm run test:clients`. */
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { chosenDrivers, install } from "./builds.js";
import { prices } from "./course/source.js";
import type { Driver } from "./driver.js";
import type { Place } from "./place.js";
import { root } from "./root.js";
import { Stage } from "./stage.js";

/** What the page says a client is given, and the names by which that client's model then knows our tools. */
const configured: Readonly<
  Record<string, { heading: string; file: string; tool: (name: string) => string }>
> = {
  "claude-code": { heading: "Claude Code", file: ".mcp.json", tool: (name) => `mcp__kedge__${name}` },
  opencode: { heading: "opencode", file: "opencode.json", tool: (name) => `kedge_${name}` },
};

function configuration(heading: string, url: string): string {
  const page = readFileSync(join(root, "docs/fleet.md"), "utf8");
  const [, found] =
    new RegExp(`^${heading}, in [^\\n]*\\n\\n\`\`\`json\\n([\\s\\S]*?)\`\`\``, "m").exec(page) ?? [];
  if (!found?.includes("https://host:8443/mcp"))
    throw new Error(`docs/fleet.md has no configuration of ${heading}`);
  return found.replace("https://host:8443/mcp", url);
}

async function serve({
  project,
  env,
}: Place): Promise<{ url: string; said: () => string; child: ChildProcess }> {
  const args = [join(root, "dist/bin.cjs"), "serve", "--http", "0", "--root", project];
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  const url = await new Promise<string>((resolve, reject) => {
    child.on("exit", () => reject(new Error("the server did not start")));
    child.stdout.on("data", (part) => {
      said += part;
      const [line, ...rest] = said.split("\n");
      if (rest.length > 0) resolve(JSON.parse(line as string).url);
    });
  });
  return { url, said: () => said, child };
}

const withToken = (driver: Driver, token: () => string): Driver => ({
  ...driver,
  command: (prompt, run) => {
    const { args, env } = driver.command(prompt, run);
    return { args, env: { ...env, KEDGE_TOKEN: token() } };
  },
});

for (const driver of chosenDrivers()) {
  const setting = configured[driver.client];
  if (!setting) continue;
  const installed = install(driver);
  const reason = "reason" in installed ? installed.reason : null;
  describe(driver.title, () => {
    test.skipIf(reason !== null)(
      `edits by our tools over HTTP${reason === null ? "" : ` (${reason})`}`,
      async () => {
        const { program } = installed as { readonly program: string };
        let token = "";
        const driven = withToken(driver, () => token);
        const stage = await Stage.open({
          driver: driven,
          program,
          files: { "prices.ts": prices },
          guard: "none",
        });
        const { place } = stage;
        token = place.kedge("token", "add", "builder").trim();
        const { url, said, child } = await serve(place);
        try {
          place.put(setting.file, configuration(setting.heading, url));
          // A person says yes to these in a dialog.
          const settings = { enableAllProjectMcpServers: true, permissions: { allow: ["mcp__kedge"] } };
          if (driver.client === "claude-code")
            place.putHome(".claude/settings.json", JSON.stringify(settings));
          const path = "prices.ts";
          const [unread, edited] = await stage.play(async (agent) => {
            const edits = (anchor: string) => [{ op: "set_line", anchor, text: "  const rate = 0.07;" }];
            const use = (name: string, input: object) =>
              agent.use({ tool: setting.tool(name), input: { path, ...input } });
            const early = await use("edit_file", { edits: edits("1#000000") });
            const read = await use("read_file", {});
            const [, anchor = ""] = /(\d+#[0-9a-f]+)\|\s*const rate = 0\.19;/.exec(read) ?? [];
            return [early, await use("edit_file", { edits: edits(anchor) })];
          });
          expect(unread).toContain("prices.ts was not read");
          expect(edited).toContain("prices.ts edited");
          expect(place.text(path)).toBe(prices.replace("const rate = 0.19;", "const rate = 0.07;"));
          expect(place.kedge("log", "--json")).toContain('"agent":"builder"');
          expect(said()).toContain('"tool":"edit_file","outcome":"done"');
        } finally {
          child.kill("SIGKILL");
          stage.close();
        }
      },
    );
  });
}
