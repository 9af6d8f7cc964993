// What may a person or a script ask for at a shell? The commands, their flags, and what they print.

export type { Doors } from "./context.js";
export { main } from "./main.js";
export { mcpRun } from "./mcp.js";
export { serveRun } from "./serve.js";
