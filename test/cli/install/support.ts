/** A machine of its own: a home, a project, a state folder, and a kedge whose guard is a file that says so. */
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { main } from "../../../src/cli/index.js";
import { makeStream } from "../../../src/cli/print/output.js";

export interface Said {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

export class Machine {
  readonly scratch: string = mkdtempSync(join(tmpdir(), "kedge-install-"));
  readonly home: string = join(this.scratch, "home");
  readonly project: string = join(this.home, "project");
  readonly state: string = join(this.home, ".local/state/kedge");
  readonly hook: string = join(this.state, "hook/hook.cjs");
  readonly program: string = join(this.scratch, "package/dist/bin.cjs");

  constructor() {
    mkdirSync(join(this.project, ".git"), { recursive: true });
    writeFileSync(join(this.project, ".git/HEAD"), "ref: refs/heads/main\n");
    const isBuilt = (path: string): boolean => basename(path) === "dist";
    cpSync("plugins", join(this.scratch, "package/plugins"), {
      ...{ recursive: true, filter: (path) => !isBuilt(path) },
    });
    this.build("first");
    onTestFinished(() => rmSync(this.scratch, { recursive: true, force: true }));
  }

  /** Another version of the guard's program. */
  build(version: string): void {
    mkdirSync(dirname(this.program), { recursive: true });
    for (const name of ["hook.cjs", "chardet.cjs", "iconv-lite.cjs"])
      writeFileSync(join(dirname(this.program), name), `// ${version}\n`);
  }

  /** Below the home folder. */
  path(name: string): string {
    return join(this.home, name);
  }

  put(name: string, content: string): void {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), content);
  }

  text(name: string): string | null {
    return existsSync(this.path(name)) ? readFileSync(this.path(name), "utf8") : null;
  }

  async run(args: string, env: Readonly<Record<string, string>> = {}): Promise<Said> {
    const printed = { out: "", err: "" };
    const stream = (name: "out" | "err") =>
      makeStream({
        ...{ env: {}, isTerminal: false, columns: 80 },
        write: (bytes) => {
          printed[name] += new TextDecoder().decode(bytes);
        },
      });
    const status = await main({
      ...{ argv: args.split(" "), env: { HOME: this.home, PATH: "", ...env }, cwd: this.project, doors: {} },
      ...{ program: this.program, version: () => "1.2.3", exit: () => {} },
      output: { out: stream("out"), err: stream("err") },
    });
    return { status, ...printed };
  }

  /** Every file of the home folder with its content, but for the state. */
  files(folder: string = this.home): Record<string, string> {
    const found: Record<string, string> = {};
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      if (path === join(this.home, ".local")) continue;
      if (lstatSync(path).isDirectory()) Object.assign(found, { [path]: "" }, this.files(path));
      else found[path] = readFileSync(path, "latin1");
    }
    return found;
  }
}
