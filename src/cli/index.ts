export type { Context, Doors, Run } from "./context.js";
export { main, type Start } from "./main.js";
export { mcpRun } from "./mcp.js";
