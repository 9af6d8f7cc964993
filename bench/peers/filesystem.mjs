// The reference filesystem server: string replacement that also matches lines with other blanks around them.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { mcp, quotes, scratch, serve } from "./protocol.mjs";

const packages = join(dirname(fileURLToPath(import.meta.url)), "node_modules");
const folder = scratch();
const path = join(folder, "file");
const entry = join(packages, "@modelcontextprotocol/server-filesystem/dist/index.js");
const server = await mcp(process.execPath, [entry, folder], folder);

await serve(async ({ base, current, edits }) => {
  writeFileSync(path, current);
  const wanted = quotes(base, edits).map(({ old, fresh }) => ({ oldText: old, newText: fresh }));
  const { text, isError } = await server.call("edit_file", { path, edits: wanted });
  return isError ? { refused: text } : { text: readFileSync(path, "utf8") };
});
server.stop();
