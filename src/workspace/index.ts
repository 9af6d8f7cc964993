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
export { type NodeFiles, nodeFiles } from "./files.js";
export type { NodeFilesOptions } from "./files-options.js";
export {
  boundsOf,
  chosenStore,
  isWithin,
  openFiles,
  openFleet,
  openStore,
  type Policies,
  policiesOf,
  workspaceFor,
} from "./open-workspace.js";
export { type LimitSettings, rules, type Settings } from "./settings.js";
