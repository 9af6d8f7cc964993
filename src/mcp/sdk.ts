/** What is used of the MCP SDK. A file of its own in the package (dist/mcp.cjs): only `kedge mcp` pays for reading it. */
export {
  isJSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  parseJSONRPCMessage,
  Server,
} from "@modelcontextprotocol/server";
export { serveStdio } from "@modelcontextprotocol/server/stdio";
