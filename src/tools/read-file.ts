import { defineTool } from "./tool.js";

export const readFile = defineTool({
  name: "read_file",
  title: "Read a file",
  description:
    "Read a text file. A row is anchor, separator, exact line; edits name lines by anchor. " +
    "delta: only what others changed since you saw it.",
  properties: {
    path: { type: "string" },
    ranges: {
      type: "array",
      items: {
        type: "object",
        properties: { start: { type: "integer" }, end: { type: "integer" } },
      },
    },
    offset: { type: "integer", description: "first line" },
    limit: { type: "integer" },
    delta: { type: "boolean" },
  },
  required: ["path"],
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  aliases: { lines: "ranges", startline: "offset", start: "offset" },
  example: { path: "src/a.ts", ranges: [{ start: 10, end: 20 }] },
  call(session, args, { signal }) {
    const ranges = args.ranges("ranges");
    const offset = args.integer("offset", 0);
    const limit = args.integer("limit", 1);
    const delta = args.flag("delta");
    return session.read({
      path: args.path(),
      signal,
      ...(ranges === undefined ? {} : { ranges }),
      ...(offset === undefined ? {} : { offset: Math.max(1, offset) }),
      ...(limit === undefined ? {} : { limit }),
      ...(delta === undefined ? {} : { delta }),
    });
  },
});
