// docs/configuration.md: every key, its values, its default and who may set it, from the rules in src/workspace.
import { load } from "../sources.mjs";

const megabytes = (bytes) => `${Math.round(bytes / 1024 / 1024)} MiB`;

export default async function configuration() {
  const { rules } = await load("src/workspace/settings.ts");
  const { defaultLimits, defaultBounds } = await load("src/node.ts");
  const { days, space, size } = {
    days: defaultBounds.age / 86_400_000,
    space: megabytes(defaultBounds.size),
    size: megabytes(defaultLimits.size),
  };
  const about = {
    anchors: [
      "how lines are tagged; `none` shows bare text at the command line",
      "`hex6`",
      "anybody; it forbids nothing",
    ],
    gate: ["`lines`: named lines were shown · `file`: the file was shown · `off`", "`lines`", "stricter"],
    onStale: [
      "`relocate`: follow lines that moved · `refuse`: the file must be as shown",
      "`relocate`",
      "stricter",
    ],
    keepOnFold: ["`true`: what was shown still counts after a compaction", "`false`", "stricter (`false`)"],
    roots: ["folders that Kedge's own tools may touch", "the workspace", "the folders that are in both"],
    deny: ["files that nobody may edit", "inside of `.git/`, private keys", "its patterns as well"],
    secrets: [
      "files of which no text is kept",
      "names that look secret, such as `.env`",
      "its patterns as well",
    ],
    limits: [
      "`size`, `space` in bytes · `wait`, `time` in milliseconds · `days`",
      `\`size\` ${size}, \`days\` ${days}, \`space\` ${space}`,
      "the smaller `size`, `wait` and `time`, for Kedge's own tools; `days` and `space` are yours alone",
    ],
    encoding: [
      "the encoding of files without a byte order mark",
      "recognised",
      "anybody; it forbids nothing",
    ],
    failClosed: ["`true`: what cannot be checked is refused", "`false`", "stricter (`true`)"],
    tree: [
      "`dirty`, `all` or `off`: what of the working tree is on record ([tree.md](tree.md))",
      "`dirty`",
      "nothing: yours alone",
    ],
    tell: ["what the model is told about others", "see [guard.md](guard.md)", "see [guard.md](guard.md)"],
    store: ["where the record is", "the state folder", "nothing: yours alone"],
  };
  const missing = Object.keys(rules).filter((key) => about[key] === undefined);
  if (missing.length > 0)
    throw new Error(`scripts/docs/configuration.mjs says nothing about ${missing.join(", ")}`);
  const rows = Object.entries(rules).map(([key, { allowed, variable }]) => {
    const [meaning, usual, project] = about[key];
    const set = variable === "" ? "–" : `\`${variable}\``;
    return `| \`${key}\` | ${meaning} | ${allowed.replaceAll("|", "\\|")} | ${usual} | ${set} | ${project} |`;
  });
  const text = `# Configuration

<!-- Made from src/workspace/settings.ts by scripts/docs/configuration.mjs. Do not edit. -->

Nothing has to be configured. What is set is taken, first to last, from

1. flags of the command line,
2. variables of the environment,
3. your own file: \`~/.config/kedge/config.json\` on Linux and macOS (\`$XDG_CONFIG_HOME\` counts), \`%APPDATA%\\kedge\\config.json\` on Windows,
4. \`.kedge.json\` in the workspace. It comes with the repository, so that it can only make things stricter.

A client's hook takes variables like a project's file, because a repository's client settings can set them. \`kedge doctor\` shows what counts and what a
project asked for in vain. A key that does not exist is an error that names it.

| key | meaning | values | default | variable | of a project's file counts |
|---|---|---|---|---|---|
${rows.join("\n")}

Lists are separated by commas in a variable, \`KEDGE_ROOTS\` by the separator of \`PATH\`, and limits are written \`KEDGE_LIMITS=size=1000000,days=30\`. Patterns are
globs (\`*\`, \`**\`, \`?\`, \`[a-z]\`, \`{one,other}\`); one that begins with \`!\` takes a pattern back.

Two more variables: \`KEDGE_STATE\` is the folder of the record ([storage.md](storage.md)), \`KEDGE_SESSION\` names the agent at a shell.

\`\`\`sh
printf '{ "gate": "file", "deny": ["dist/**"] }' > .kedge.json
kedge read cart.js
mkdir dist && echo x > dist/a.js
kedge edit dist/a.js 1#000000 y
# → dist/a.js
# exit 4
rm .kedge.json
\`\`\`

Who may loosen what, and why: [guard.md](guard.md#who-may-loosen-it).
`;
  return [{ path: "docs/configuration.md", text }];
}
