export {
  createMcpHandler,
  isJSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  parseJSONRPCMessage,
  Server,
} from "@modelcontextprotocol/server";
export { serveStdio } from "@modelcontextprotocol/server/stdio";
