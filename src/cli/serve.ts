import { readFileSync } from "node:fs";
import { hidden } from "../fleet/index.js";
import type {
  FollowedCertificate,
  Listening,
  Protocol,
  ToolServer,
  ToolServerOptions,
} from "../serve/index.js";
import { visible } from "../text/index.js";
import { chosenStore, openFiles, policiesOf } from "../workspace/index.js";
import { UsageError } from "./args.js";
import type { Context, Run } from "./context.js";
import { done } from "./flag-types.js";
import { InputError } from "./input.js";
import { type ServedTree, servedTree, watchServed } from "./served.js";

type Serve = typeof import("../serve/index.js");

/** The protocol, as far as it is spoken from here: this folder may not know it. */
interface McpOverHttp<Caller> {
  httpProtocol(options: { version: string; log: (line: string) => void }): Protocol<Caller>;
}

const usualCalls = 600;

/** `kedge serve`, for a protocol that the program brings. */
export function serveRun<Caller>({ httpProtocol }: McpOverHttp<Caller>): Run {
  return async (context) => {
    const { args, version } = context;
    if (args.text("http") === undefined)
      throw new UsageError(
        "serve needs --http: [HOST:]PORT to listen on",
        "on this machine alone: kedge serve --http 8080 --root .",
      );
    if (args.texts("root").length === 0)
      throw new UsageError(
        "serve needs --root: the folder that agents may touch",
        "kedge serve --http 8080 --root .",
      );
    const serve = await import("../serve/index.js");
    const report = (line: string): void => context.output.err.line(`kedge: ${visible(line)}`);
    const tree = servedTree(context);
    const door = await doorOf(context, tree, serve);
    const isCertified = (name: string): boolean => door.certificate?.isFor(name) ?? false;
    const server = new serve.ToolServer<Caller>({
      ...optionsOf(context, tree, report),
      protocol: httpProtocol({ version: version(), log: report }),
      names: { given: args.texts("host"), isCertified },
      isOpen: door.isOpen,
    });
    await server.begin();
    await run(context, tree, { serve, server, door, report });
    return done;
  };
}

function optionsOf<Caller>(
  { args, output, version, env }: Context,
  tree: ServedTree,
  report: (line: string) => void,
): Omit<ToolServerOptions<Caller>, "protocol" | "names" | "isOpen"> {
  const { base, settings, state, store, workspace } = tree;
  const files = openFiles({ settings, root: base, base, state, report });
  const watch = watchServed(tree, { files, report, env });
  const database = chosenStore(settings, workspace);
  const own = [
    { text: state, told: "the server's state folder" },
    ...(database ? [{ text: `the store ${hidden(database.url)}`, told: "the store" }] : []),
  ];
  return {
    ...{
      store,
      report,
      policies: { ...policiesOf(settings), ...(watch ? { watch } : {}) },
      version: version(),
      own,
    },
    files: (scope) => openFiles({ settings, root: base, base, state, report, ...(scope ? { scope } : {}) }),
    callsAMinute: args.number("calls") ?? usualCalls,
    log: (line) => output.out.line(line),
  };
}

/** Where the server listens, and who gets in. */
interface Door {
  readonly host: string;
  readonly port: number;
  readonly certificate: FollowedCertificate | undefined;
  readonly isOpen: boolean;
}

/** No token crosses a network in the clear, and nobody gets in without one but programs of this machine. */
async function doorOf({ args }: Context, { store }: ServedTree, serve: Serve): Promise<Door> {
  const given = args.text("http") as string;
  const address = serve.addressIn(given);
  if (!address)
    throw new UsageError(
      `--http ${given} is no [HOST:]PORT`,
      "like 8080, 0.0.0.0:8080 or [::1]:8080; port 0 takes a free one",
    );
  const certificate = certificateOf(args.text("tls-cert"), args.text("tls-key"), serve);
  const isBehindProxy = args.has("behind-proxy");
  const isLocal = await serve.isLoopback(address.host).catch((error: Error) => {
    throw new InputError(`${address.host} is no address of this machine: ${error.message}`);
  });
  const isOpen = isLocal && !isBehindProxy;
  if (!isLocal && !certificate && !isBehindProxy)
    throw new UsageError(
      `on ${address.host} tokens would cross the network in the clear`,
      "give --tls-cert and --tls-key, or --behind-proxy if a proxy in front of it does TLS",
    );
  if (!isOpen && (await serve.tokensIn(store)) === null)
    throw new UsageError(
      "there is no token for this tree, and without one the server answers this machine alone",
      "make one: kedge token add NAME, with the same --root, --store and --tree",
    );
  return { ...address, certificate, isOpen };
}

function certificateOf(cert: string | undefined, key: string | undefined, serve: Serve): Door["certificate"] {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) throw new UsageError("--tls-cert and --tls-key go together");
  const read = (flag: string, path: string): string => {
    try {
      return readFileSync(path, "utf8");
    } catch (error) {
      throw new InputError(`--${flag} ${path} cannot be read: ${(error as Error).message}`);
    }
  };
  try {
    return new serve.FollowedCertificate(() => ({ cert: read("tls-cert", cert), key: read("tls-key", key) }));
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError(`--tls-cert ${cert} and --tls-key ${key} are no use: ${(error as Error).message}`);
  }
}

interface Running<Caller> {
  readonly serve: Serve;
  readonly server: ToolServer<Caller>;
  readonly door: Door;
  readonly report: (line: string) => void;
}

/** Serves until the process is told to end, and every call that is under way then has its answer. */
async function run<Caller>(
  { args, interrupt, output }: Context,
  { base }: ServedTree,
  { serve, server, door, report }: Running<Caller>,
): Promise<void> {
  const event = (name: string, more: object = {}): void =>
    output.out.line(JSON.stringify({ time: new Date().toISOString(), event: name, ...more }));
  const trouble = (error: Error): never => {
    throw new InputError(`the server cannot listen: ${error.message}`);
  };
  const { certificate } = door;
  const main = await serve
    .listen({ ...door, certificate: certificate?.current }, (...asked) => server.answer(...asked))
    .catch(trouble);
  certificate?.follow((next) => main.renew(next), report);
  const ports: Listening[] = [main];
  const metrics = portOf(args.text("metrics"));
  if (metrics !== null) {
    const monitor = await serve
      .listen({ host: "127.0.0.1", port: metrics }, (...asked) => server.answerMonitor(...asked))
      .catch(trouble);
    ports.push(monitor);
  }
  server.metrics.watch("kedge_connections", () => main.connections());
  const ended = new Promise<void>((resolve) => {
    interrupt.serving({
      settled: async () => {
        for (const port of ports) port.stop();
        await server.end();
        for (const port of ports) port.close();
        event("ended");
        resolve();
      },
    });
  });
  const [, monitor] = ports;
  event("listening", {
    url: main.url,
    ...(monitor ? { metrics: monitor.url.replace(/mcp$/, "metrics") } : {}),
  });
  const count = await server.countTokens();
  const who =
    count > 0 ? `to ${count === 1 ? "the holder of one token" : `the holders of ${count} tokens`}` : openly;
  report(`serving ${base} at ${main.url}, ${door.isOpen || count > 0 ? who : "to nobody: no token is good"}`);
  await ended;
}

const openly = "to every program on this machine: no token was made (kedge token add NAME makes one)";

function portOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new UsageError(`--metrics ${text} is no port`, "a number up to 65535; 0 takes a free one");
}
