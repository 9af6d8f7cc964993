import { Scope } from "../../../disk/index.js";
import type { Rights, Secret, Token } from "../../../serve/index.js";
import { UsageError } from "../../args.js";
import type { Context, Run } from "../../context.js";
import { done, failed } from "../../flag-types.js";
import { formatAge } from "../../print/log-rows.js";
import { tableText } from "../../print/output.js";
import { servedTree } from "../../served.js";

export const run: Run = async (context) => {
  const { args } = context;
  const [action, name] = args.positionals;
  if (action === "list") {
    if (name !== undefined) throw new UsageError("list takes no name", "see: kedge token --help");
    return list(context);
  }
  if (name === undefined)
    throw new UsageError(`${action} needs a NAME`, `like: kedge token ${action} builder`);
  return action === "add" ? add(context, name) : revoke(context, name);
};

/** stdout has the token alone: it can be piped to where it is kept, and is shown nowhere else. */
async function add(context: Context, name: string): Promise<number> {
  const { args, output } = context;
  const { addToken, described } = await import("../../../serve/index.js");
  const rights = rightsOf(context);
  const days = args.number("days") ?? null;
  const { store } = servedTree(context);
  const { secret, token, made } = await addToken(store, { name, rights, days, now: Date.now() });
  if (args.has("json")) {
    output.out.line(JSON.stringify({ token: secret, ...plain(token, made) }));
    return done;
  }
  output.out.line(secret);
  const until = made.until === null ? "until it is revoked" : `until ${dateOf(made.until)}`;
  output.err.line(`kedge: ${name} may ${described(token)}, ${until}. The token is shown this once.`);
  if (token.secrets.length > 1)
    output.err.line(
      `kedge: ${name} has ${token.secrets.length} tokens now; hand this one out, then: kedge token revoke ${token.secrets[0]?.id}`,
    );
  return done;
}

/** null: nothing was asked for. */
function rightsOf({ args }: Context): Rights | null {
  const paths = args.texts("path");
  if (paths.length === 0 && !args.has("read-only")) return null;
  // Throws for what is no such glob.
  if (paths.length > 0) new Scope(paths);
  return { readOnly: args.has("read-only"), paths: paths.length > 0 ? paths : null };
}

async function list(context: Context): Promise<number> {
  const { args, output } = context;
  const { described, tokensIn } = await import("../../../serve/index.js");
  const tokens = (await tokensIn(servedTree(context).store)) ?? [];
  const all = tokens.flatMap((token) => token.secrets.map((secret) => ({ token, secret })));
  if (args.has("json")) {
    for (const { token, secret } of all) output.out.line(JSON.stringify(plain(token, secret)));
    return done;
  }
  if (all.length === 0) {
    output.err.line("kedge: there is no token for this tree");
    return done;
  }
  const now = Date.now();
  const rows = all.map(({ token, secret: { id, made, until } }) => [
    token.name,
    described(token),
    formatAge(now - made),
    until === null ? "-" : until <= now ? "ended" : dateOf(until),
    id,
  ]);
  const columns = [
    { title: "token" },
    { title: "may", shrinks: "end" as const },
    { title: "made" },
    { title: "until" },
    { title: "id" },
  ];
  for (const line of tableText(columns, rows, output.out)) output.out.line(line);
  return done;
}

async function revoke(context: Context, name: string): Promise<number> {
  const { args, output } = context;
  const { revokeToken } = await import("../../../serve/index.js");
  const revoked = await revokeToken(servedTree(context).store, name);
  if (args.has("json")) output.out.line(JSON.stringify({ revoked }));
  else if (revoked === 0) output.err.line(`kedge: there is no token with the name or id ${name}`);
  else
    output.out.line(
      `${revoked === 1 ? "one token is" : `${revoked} tokens are`} revoked; servers that run refuse ${revoked === 1 ? "it" : "them"} within a second`,
    );
  return revoked === 0 ? failed : done;
}

function plain({ name, readOnly, paths }: Token, { id, made, until }: Secret) {
  return { name, readOnly, paths, id, made, until };
}

const dateOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
