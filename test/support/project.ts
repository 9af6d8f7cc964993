/** A project of a user: a folder of its own in which `kedge` and its peers are installed as links. */
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { transformSync } from "esbuild";

export const repository = join(import.meta.dirname, "../..");

export interface Project {
  readonly root: string;
  readonly state: string;
  /** Copies a folder of the repository; TypeScript becomes JavaScript, because Node 20 runs no TypeScript. */
  copy(folder: string, to: string): void;
  remove(): void;
}

export function newProject(): Project {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "kedge-project-")));
  const [root, state] = [join(top, "project"), join(top, "state")];
  const modules = join(root, "node_modules");
  mkdirSync(join(modules, ".bin"), { recursive: true });
  writeFileSync(join(root, "package.json"), '{ "private": true, "type": "module" }\n');
  for (const name of ["@ai-sdk", "@anthropic-ai", "@modelcontextprotocol", "@types", "ai", "openai"])
    symlinkSync(join(repository, "node_modules", name), join(modules, name));
  symlinkSync(repository, join(modules, "kedge"));
  symlinkSync(join(repository, "dist/bin.cjs"), join(modules, ".bin/kedge"));
  return {
    ...{ root, state },
    copy(folder, to) {
      cpSync(join(repository, folder), join(root, to), { recursive: true });
      for (const name of readdirSync(join(root, to)).filter((one) => one.endsWith(".ts"))) {
        const { code } = transformSync(readFileSync(join(root, to, name), "utf8"), {
          loader: "ts",
          target: "node20",
          format: "esm",
        });
        writeFileSync(join(root, to, name.replace(/ts$/, "js")), code);
      }
    },
    remove: () => rmSync(top, { recursive: true, force: true }),
  };
}
