import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findProgram, isWindows, thisPlatform } from "../../../host/index.js";
import type { Asset, ViewServer } from "../../../view/index.js";
import { UsageError } from "../../args.js";
import type { Context, Run } from "../../context.js";
import { done } from "../../flag-types.js";
import { openView } from "../../open-view.js";

const types: Readonly<Record<string, string>> = {
  "index.html": "text/html; charset=utf-8",
  "page.js": "text/javascript; charset=utf-8",
  "page.css": "text/css; charset=utf-8",
};

export const run: Run = async (context) => {
  const server = await startUi(context);
  await context.interrupt.arrived();
  await server.close();
  return done;
};

/** Starts the page's server, prints its address, and opens a browser where a person is. */
export async function startUi(context: Context): Promise<ViewServer> {
  const { args, output } = context;
  const { startViewServer } = await import("../../../view/index.js");
  const { source, actions, opened } = await openView(context);
  const server = await startViewServer({
    ...{ source, actions, assets: assetsOf(context), port: portOf(args.text("port")) },
    clock: Date.now,
    report: (line) => output.err.line(`kedge: ${line}`),
  });
  const address = server.newAddress();
  output.out.line(address);
  if (!args.has("no-open") && output.out.isTerminal) openBrowser(address, context, opened.workspace.root);
  output.err.line(
    "kedge: the address opens one page, within a minute; Enter prints another, Ctrl-C ends the view",
  );
  process.stdin.on("data", () => output.out.line(server.newAddress()));
  process.stdin.on("error", () => {});
  return server;
}

function portOf(text: string | undefined): number {
  if (text === undefined) return 0;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new UsageError(`--port ${text} is no port`, "a number up to 65535; 0 takes a free one");
  return port;
}

function assetsOf({ program }: Context): ReadonlyMap<string, Asset> {
  const folder = join(dirname(program), "ui");
  const assets = Object.entries(types).map(([name, type]) => {
    const asset: Asset = { type, bytes: readFileSync(join(folder, name)) };
    return [name === "index.html" ? "/" : `/${name}`, asset] as const;
  });
  return new Map(assets);
}

/** Where no desktop is, nothing is started: the address is printed all the same. */
function openBrowser(address: string, { env }: Context, root: string): void {
  const platform = thisPlatform;
  const [name, ...before] = isWindows(platform)
    ? ["rundll32", "url.dll,FileProtocolHandler"]
    : [process.platform === "darwin" ? "open" : "xdg-open"];
  if (name === "xdg-open" && !env.DISPLAY && !env.WAYLAND_DISPLAY) return;
  const program = findProgram(name as string, { searchPath: env.PATH, outside: [root] });
  if (program === null) return;
  const child = spawn(program, [...before, address], { stdio: "ignore", detached: true });
  child.on("error", () => {});
  child.unref();
}
