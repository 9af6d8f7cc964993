// docs/tools.md: the five tools, from src/tools, with what they cost: descriptions, typical calls, results and refusals.
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { load } from "../sources.mjs";

const list = (names) => names.map((name) => `\`${name}\``).join(", ");

export default async function toolsPage() {
  const { tools, toolDoor } = await load("src/tools/index.ts");
  const { Session, memoryFiles, memoryStore } = await load("src/index.ts");
  const listed = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  const costs = listed.map(
    (tool) =>
      `| \`${tool.name}\` | ${countTokens(tool.description)} | ${countTokens(JSON.stringify(tool.inputSchema))} | ${countTokens(JSON.stringify(tool))} |`,
  );
  const samples = await typical(tools, { Session, memoryFiles, memoryStore, toolDoor });
  const text = `# Tools

<!-- Made from src/tools by scripts/docs/tools.mjs. Do not edit. -->

The same five tools stand behind every door for agents: the [MCP server](mcp.md), the AI SDK (\`kedge/ai-sdk\`), the
Anthropic SDK (\`kedge/anthropic\`) and the OpenAI SDKs (\`kedge/openai\`). Their texts are part of the public contract.

Arguments are read generously: numbers and booleans may be strings, lists and objects may be JSON in a string, \`dryRun\`
is \`dry_run\`, and the edit shapes of related tools are understood. Fields that mean nothing to a tool are ignored, and the
answer says so. Every tool also accepts \`session\`, which no schema shows: it names the agent, where several share a
connection. What cannot be understood is answered with what was wrong and a correct call.

## What they cost in every request

Tokens in o200k_base, of the JSON that a model is given.

| tool | description | schema | together |
|---|---:|---:|---:|
${costs.join("\n")}
| all five | | | **${countTokens(JSON.stringify(listed))}** (limit 900) |

## Typical calls, results and refusals

On a file of 1,000 lines; tokens in o200k_base, of the arguments and of the text that the model reads.

| case | call | answer |
|---|---:|---:|
${samples.map(({ name, call, answer }) => `| ${name} | ${countTokens(call)} | ${countTokens(answer)} |`).join("\n")}

${samples
  .filter(({ show }) => show)
  .map(({ name, call, answer }) => `### ${heading(name)}\n\n    ${call}\n\n${indent(answer)}\n`)
  .join("\n")}
## The tools

${tools.map(section).join("\n")}`;
  return [{ path: "docs/tools.md", text }];
}

const heading = (name) => name[0].toUpperCase() + name.slice(1);

const indent = (text) =>
  text
    .split("\n")
    .map((line) => (line === "" ? "" : `    ${line}`))
    .join("\n");

function section({ name, description, inputSchema, annotations }) {
  const required = inputSchema.required ?? [];
  const optional = Object.keys(inputSchema.properties).filter((key) => !required.includes(key));
  const hints = Object.entries(annotations)
    .filter(([, value]) => value === true)
    .map(([key]) => key);
  return `### \`${name}\`

${indent(description)}

${required.length > 0 ? `Required: ${list(required)}. ` : ""}Optional: ${list(optional) || "nothing"}.${hints.length > 0 ? ` Annotations: ${list(hints)}.` : ""}
`;
}

/** Runs the cases on files in memory, so that the texts are those that models read. */
async function typical(tools, { Session, memoryFiles, memoryStore, toolDoor }) {
  const lines = Array.from({ length: 1000 }, (_, at) => `  const value${at + 1} = compute(${at + 1});`);
  const source = `${lines.join("\n")}\n`;
  const files = memoryFiles({ "src/a.ts": source, "src/b.ts": source });
  let time = 0;
  const clock = () => ++time;
  const session = new Session({ files, store: memoryStore(), agent: "agent", clock, door: toolDoor });
  const samples = [];
  const anchors = new Map();
  const run = async (name, tool, args, show = false) => {
    const { text, details } = await tools.find((one) => one.name === tool).run(session, args);
    samples.push({ name, call: `${tool} ${JSON.stringify(args)}`, answer: text, show });
    for (const [, anchor, number] of text.matchAll(/^(?:>>> | {4})?((\d+)#\w{6})\|/gm))
      anchors.set(Number(number), anchor);
    return details;
  };
  const set = (line, text) => ({ op: "set_line", anchor: anchors.get(line), text });
  const foreign = (from, to) => files.set("src/a.ts", files.text("src/a.ts").replace(from, to));

  await run(
    "edit of a file that was not read: refused",
    "edit_file",
    {
      path: "src/a.ts",
      edits: [{ op: "append", text: "}" }],
    },
    true,
  );
  await run("read of ten lines", "read_file", { path: "src/a.ts", ranges: [{ start: 495, end: 504 }] });
  await run(
    "edit of one line",
    "edit_file",
    { path: "src/a.ts", edits: [set(500, "  const value500 = 500;")] },
    true,
  );
  const ten = Array.from({ length: 10 }, (_, at) => `  const fresh${at} = ${at};`).join("\n");
  const range = { op: "replace_lines", start: anchors.get(495), end: anchors.get(498), text: ten };
  await run("edit that writes ten lines", "edit_file", { path: "src/a.ts", edits: [range] });
  await run("read of all 1,000 lines", "read_file", { path: "src/b.ts" });
  await run("search with five hits", "grep", {
    pattern: "compute\\(77\\d\\)",
    path: "src/b.ts",
    max_results: 5,
  });
  await run("read of ten more lines", "read_file", { path: "src/a.ts", ranges: [{ start: 700, end: 709 }] });
  const unseen = { op: "replace_lines", start: anchors.get(502), end: anchors.get(705), text: "" };
  await run("edit over 190 lines that were not shown: refused", "edit_file", {
    path: "src/a.ts",
    edits: [unseen],
  });
  foreign("compute(697)", "COMPUTE(697)");
  const stale = await run(
    "edit of a line that others changed: refused",
    "edit_file",
    {
      path: "src/a.ts",
      edits: [set(703, "  const value697 = 697;")],
    },
    true,
  );
  await run("the same by its handle", "edit_file", { path: "src/a.ts", retry: stale.retry });
  foreign("  const value1 ", "  // new\n  const value1 ");
  await run(
    "edit of a line that others moved",
    "edit_file",
    {
      path: "src/a.ts",
      edits: [set(706, "  const value700 = 700;")],
    },
    true,
  );
  await run("read of what others changed", "read_file", { path: "src/a.ts", delta: true });
  await run("bad request", "edit_file", { path: "src/a.ts" }, true);
  return samples;
}
