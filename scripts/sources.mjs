// Sources for scripts: TypeScript, bundled in memory, so that a document is made from what is written, not from dist.
import { root } from "./shell.mjs";

/** Lists the exports of a source file. */
export async function load(entry) {
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    write: false,
    platform: "node",
    format: "esm",
    packages: "external",
    logLevel: "silent",
  });
  const [file] = outputFiles;
  return import(`data:text/javascript;base64,${Buffer.from(file.contents).toString("base64")}`);
}
