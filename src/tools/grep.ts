import { defineTool } from "./tool.js";

export const grep = defineTool({
  name: "grep",
  title: "Search files",
  description: "Search files for a regular expression. Rows carry anchors, ready for edits.",
  properties: {
    pattern: { type: "string" },
    path: { type: "string", description: "file or folder" },
    glob: { type: "string" },
    ignore_case: { type: "boolean" },
    literal: { type: "boolean" },
    context: { type: "integer" },
    max_results: { type: "integer" },
  },
  required: ["pattern"],
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  aliases: { regex: "pattern", query: "pattern", include: "glob", i: "ignore_case", c: "context" },
  example: { pattern: "function \\w+", path: "src", glob: "*.ts" },
  call(session, args, { signal, onProgress }) {
    const path = args.text("path");
    const glob = args.text("glob");
    const ignoreCase = args.flag("ignore_case");
    const literal = args.flag("literal");
    const context = args.integer("context", 0);
    const maxResults = args.integer("max_results", 1);
    return session.grep({
      pattern: args.required("pattern"),
      ...(path === undefined ? {} : { path }),
      ...(glob === undefined ? {} : { glob }),
      ...(ignoreCase === undefined ? {} : { ignoreCase }),
      ...(literal === undefined ? {} : { literal }),
      ...(context === undefined ? {} : { context }),
      ...(maxResults === undefined ? {} : { maxResults }),
      ...(signal === undefined ? {} : { signal }),
      ...(onProgress === undefined ? {} : { onProgress }),
    });
  },
});
