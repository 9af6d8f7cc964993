// mcp-hashline-edit-server: two hex digits a line, looked for anywhere in the file where they are unique.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { mcp, scratch, serve } from "./protocol.mjs";

const packages = join(dirname(fileURLToPath(import.meta.url)), "node_modules");
const folder = scratch();
const path = join(folder, "file");
const server = await mcp(process.argv[2], [join(packages, "mcp-hashline-edit-server/src/index.ts")], folder);

let read = { number: 0, anchors: [], lines: [] };

async function readBase(number, base) {
  if (read.number === number) return;
  writeFileSync(path, base);
  const { text } = await server.call("read_file", { path, limit: 100_000 });
  const anchors = [...text.matchAll(/^\s*(\d+:[0-9a-z]+)\|/gm)].map(([, anchor]) => anchor);
  read = { number, anchors, lines: base.split(/\r?\n/) };
}

function editOf({ start, count, lines }) {
  const { anchors, lines: shown } = read;
  const new_text = lines.join("\n");
  if (count > 0)
    return {
      replace_lines: { start_anchor: anchors[start - 1], end_anchor: anchors[start + count - 2], new_text },
    };
  if (start > 1) return { insert_after: { anchor: anchors[start - 2], text: new_text } };
  // It cannot insert at the top: the first line is replaced by the new ones and itself.
  return { set_line: { anchor: anchors[0], new_text: `${new_text}\n${shown[0]}` } };
}

await serve(async ({ case: number, base, current, edits }) => {
  await readBase(number, base);
  writeFileSync(path, current);
  const { text, isError } = await server.call("edit_file", { path, edits: edits.map(editOf) });
  return isError ? { refused: text } : { text: readFileSync(path, "utf8") };
});
server.stop();
