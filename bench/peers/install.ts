/** Peers, pinned, installed when first asked for into a cache outside the tree. */
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";

const bun = `@oven/bun-${process.platform === "win32" ? "windows" : process.platform}-${process.arch === "arm64" ? "aarch64" : "x64"}`;

interface Peer {
  readonly name: string;
  readonly packages: readonly string[];
  /** Speaks the replay protocol; started with the folder of the packages as its argument. */
  readonly adapter: string;
  /** Started by Bun: the package is made for no other runtime. */
  readonly needsBun: boolean;
}

const peers: readonly Peer[] = [
  {
    ...{ name: "server-filesystem", adapter: "bench/peers/filesystem.mjs", needsBun: false },
    packages: ["@modelcontextprotocol/server-filesystem@2026.8.31"],
  },
  {
    ...{ name: "hashline-edit-server", adapter: "bench/peers/hashline-server.mjs", needsBun: false },
    packages: ["mcp-hashline-edit-server@0.2.0", `${bun}@1.4.4`],
  },
  {
    ...{ name: "oh-my-pi hashline", adapter: "bench/peers/oh-my-pi.mjs", needsBun: true },
    packages: ["@oh-my-pi/hashline@18.1.5", `${bun}@1.4.4`],
  },
];

const cache = process.env.KEDGE_CLIENTS_CACHE ?? join(homedir(), ".cache", "kedge-clients");

function install({ name, packages }: Peer): string {
  const folder = join(cache, `peer-${name.replaceAll(" ", "-")}`);
  const there = packages.every((spec) =>
    existsSync(join(folder, "node_modules", spec.replace(/(.)@[^@]*$/, "$1"))),
  );
  if (there) return folder;
  mkdirSync(folder, { recursive: true });
  const flags = ["--no-audit", "--no-fund", "--no-save", "--ignore-scripts", "--prefix", folder];
  execFileSync("npm", ["install", ...flags, ...packages], {
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
  });
  return folder;
}

/** NAME=COMMAND for each peer that can run here; the others are named with the reason. */
export function installedPeers(
  report: (line: string) => void,
): { readonly given: string; readonly packages: readonly string[] }[] {
  return peers.flatMap((peer) => {
    try {
      const folder = install(peer);
      // Beside its packages, so that it finds them by name.
      for (const file of [peer.adapter, "bench/peers/protocol.mjs"])
        copyFileSync(resolve(file), join(folder, file.split("/").at(-1) as string));
      const adapter = join(folder, peer.adapter.split("/").at(-1) as string);
      const program = peer.needsBun ? join(folder, "node_modules", bun, "bin", "bun") : process.execPath;
      if (!existsSync(program)) throw new Error("its runtime, Bun, is not there for this platform");
      const command = `"${program}" "${adapter}" "${join(folder, "node_modules", bun, "bin", "bun")}"`;
      return [
        {
          given: `${peer.name}=${command}`,
          packages: peer.packages.filter((spec) => !spec.startsWith("@oven/")),
        },
      ];
    } catch (error) {
      report(`${peer.name} is left out: ${String((error as Error).message).split("\n")[0]}`);
      return [];
    }
  });
}
