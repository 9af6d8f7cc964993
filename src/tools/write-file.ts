import { promptRules } from "../ledger/index.js";
import { shown } from "./arguments.js";
import { defineTool } from "./tool.js";

export const writeFile = defineTool({
  name: "write_file",
  title: "Write a file",
  description: `Create a file, or replace all of one that you were wholly shown. For changes use edit_file.\n${promptRules}`,
  properties: { path: { type: "string" }, content: { type: "string" } },
  required: ["path", "content"],
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  aliases: { text: "content", contents: "content", filetext: "content" },
  example: { path: "src/a.ts", content: "the first line\nthe second line\n" },
  call(session, args, { signal }) {
    const path = args.path();
    const content = args.content("content");
    if (content === undefined) throw args.bad("content is missing");
    const isLines = Array.isArray(content) && content.every((line) => typeof line === "string");
    if (typeof content !== "string" && !isLines)
      throw args.bad(`content must be a string; got ${shown(content)}`);
    return session.write({ path, content: content as string | readonly string[], signal });
  },
});
