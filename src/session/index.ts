// What can an agent do here? One object for all calls of one agent.

export { type RefreshOptions, withRefresh } from "./refresh.js";
export {
  type EditRequest,
  type MultiEditRequest,
  type Plan,
  Session,
} from "./session.js";
export type { SessionOptions } from "./session-options.js";
