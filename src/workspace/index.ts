// How are the files and settings of a workspace opened?

export {
  type Config,
  type ConfigOptions,
  failsClosed,
  isRulesFile,
  loadConfig,
  settingVariables,
} from "./config.js";
export { namedCodec } from "./encoding.js";
export { type NodeFiles, type NodeFilesOptions, nodeFiles } from "./files.js";
export { boundsOf, isWithin, openFiles, type Policies, policiesOf, workspaceFor } from "./open-workspace.js";
export { type LimitSettings, rules, type Settings } from "./settings.js";
