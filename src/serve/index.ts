// How do agents on other hosts reach the tools? By MCP over HTTP, each with a token that says who it is and what it may do.

export type { Policies, Protocol } from "./callers.js";
export { FollowedCertificate } from "./http/certificate.js";
export {
  addressIn,
  isLoopback,
  type Listening,
  listen,
} from "./http/listen.js";
export { type Times, ToolServer, type ToolServerOptions } from "./server.js";
export {
  addToken,
  described,
  type Rights,
  revokeToken,
  type Secret,
  type Token,
  tokensIn,
} from "./tokens.js";
