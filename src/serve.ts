import { mcpRun } from "./cli/index.js";
import * as server from "./mcp/index.js";

/** `kedge mcp`. A program of its own: everything else would pay for reading the MCP SDK at every start. */
export const run = mcpRun(server);
