// docs/clients.md, from test/clients/results.json alone: what `npm run test:clients -- --record` saw.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { exists, readJson, root } from "../shell.mjs";

const source = "test/clients/results.json";

export default function clientsPage() {
  if (!exists(source)) return [];
  const { scenarios, builds } = readJson(source);
  const all = Object.values(builds);
  const text = `# With real clients

<!-- Made from ${source} by scripts/docs/clients.mjs. Do not edit. -->

Each client is started as a person would start it, with a model whose answers are scripted, offline: the request log holds exactly what a model would
have received, and the files show what became of the edit. Every cell is one run: what the client does alone → what it does with \`kedge install\`.

${matrix(scenarios, newestOf(all))}

*written*: the edit is in the file. *refused*: the file is as it was before the call. *reason shown*: the model received the lines as they are now.
*merged*: the edit is in the file, and so is what somebody else had changed. *written over*: what somebody else had written, or what the agent never saw, is gone.
*written elsewhere*: the text was replaced in a place the agent did not mean. *refused until shown*: refused, and accepted after the agent had read the
file. A dash: not played with that client.

Of each client this is the newest version that was played: the newest on npm at that time. Older ones are played as well, and what they did stands in
[clients-builds.md](clients-builds.md). What the models received at the deciding calls, word for word: [clients-received.md](clients-received.md).

| client | versions |
| --- | --- |
${versions(all)}

## Running them

\`npm run test:clients\` plays the guarded half for Claude Code and opencode; CI does so after \`npm test\`. \`KEDGE_CLIENTS=all\`, or a list such as
\`KEDGE_CLIENTS=codex,pi\`, plays others. The clients are fetched with npm into \`~/.cache/kedge-clients\` (\`KEDGE_CLIENTS_CACHE\`); what cannot be fetched is
skipped, and said. \`npm run test:clients -- --record\` also plays the half without Kedge and writes this document; CI does not.
A client joins with one file in \`test/clients/drivers\`.
`;
  const appendix = `# All builds of clients that were played

<!-- Made from ${source} by scripts/docs/clients.mjs. Do not edit. -->

The table of [clients.md](clients.md), with every version. The words mean the same.

${matrix(scenarios, all)}
`;
  const words = `# What the models of real clients received

<!-- Made from ${source} by scripts/docs/clients.mjs. Do not edit. -->

With the guard, at the deciding call of each run of [clients.md](clients.md), word for word but for paths and what the client always adds.
${all.map((build) => received(scenarios, build)).join("")}`;
  return [
    { path: "README.md", text: withShortTable(scenarios, all) },
    { path: "docs/clients.md", text },
    { path: "docs/clients-builds.md", text: appendix },
    { path: "docs/clients-received.md", text: words },
  ];
}

/** The rows that a new reader wants, for the newest build of each client. */
const decisive = [
  "unread-edit",
  "partial-overwrite",
  "stale-line",
  "moved-text",
  "stale-overwrite",
  "lost-work",
];

const nameOf = ({ title }) => title.replace(/ [\d.]+$/, "");

/** The builds are in the order of test/clients/drivers: of each client the newest comes first. */
function newestOf(builds) {
  return builds.filter((build) => builds.find((one) => nameOf(one) === nameOf(build)) === build);
}

function versions(builds) {
  const of = (name) => builds.filter((build) => nameOf(build) === name);
  return newestOf(builds)
    .map(nameOf)
    .map(
      (name) =>
        `| ${name} | ${of(name)
          .map(({ title }) => title.slice(name.length + 1))
          .join(", ")} |`,
    )
    .join("\n");
}

function withShortTable(scenarios, builds) {
  const short = Object.fromEntries(decisive.map((name) => [name, scenarios[name]]));
  const table = matrix(short, newestOf(builds));
  const marks = /(<!-- clients: [^>]* -->\n)[\s\S]*(<!-- \/clients -->)/;
  return readFileSync(join(root, "README.md"), "utf8").replace(
    marks,
    (_, open, end) => `${open}${table}\n${end}`,
  );
}

function matrix(scenarios, builds) {
  const verdict = (findings, name) => findings[name]?.verdict ?? "–";
  const cell = ({ alone, guarded }, name) => {
    const [before, after] = [verdict(alone, name), verdict(guarded, name)];
    if (before === "–" && after === "–") return "–";
    return before === after ? before : `${before} → **${after}**`;
  };
  const rows = Object.entries(scenarios).map(([name, title]) => [
    title,
    ...builds.map((build) => cell(build, name)),
  ]);
  const head = ["", ...builds.map(({ title }) => title)];
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

/** The refusals and the losses: where the words matter. */
const quoted = ["unread-edit", "stale-line", "stale-block", "moved-text", "lost-work"];

function received(scenarios, { title, guarded }) {
  const parts = quoted
    .filter((name) => guarded[name])
    .map((name) => `\n${scenarios[name]}:\n\n${indented(guarded[name].received)}\n`);
  return `\n## ${title}\n${parts.join("")}`;
}

const indented = (text) =>
  text
    .split("\n")
    .map((line) => (line === "" ? "" : `    ${line}`))
    .join("\n");
