// What may a person or a script ask for at a shell? The commands, their flags, and what they print.

export type { Context, Doors, Run } from "./context.js";
export { main, type Start } from "./main.js";
export { mcpRun } from "./mcp.js";
export { serveRun } from "./serve.js";
