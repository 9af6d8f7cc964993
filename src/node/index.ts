export {
  type Config,
  type ConfigOptions,
  failsClosed,
  isRulesFile,
  loadConfig,
  settingVariables,
} from "./config.js";
export { namedCodec } from "./encoding.js";
export { StateError } from "./failure.js";
export { type NodeFiles, type NodeFilesOptions, nodeFiles } from "./files.js";
export { type GitOptions, gitCommits } from "./git.js";
export { agentIdentity, type Identity, type IdentityOptions } from "./identity.js";
export { type Io, nodeIo } from "./io.js";
export { defaultLimits, type Limits } from "./limits.js";
export { appendLog, type LogOptions } from "./log.js";
export { boundsOf, isWithin, openFiles, workspaceFor } from "./open.js";
export { type Platform, thisPlatform } from "./platform.js";
export { type Processes, systemProcesses } from "./processes.js";
export { findProgram } from "./program.js";
export type { Bounds } from "./prune.js";
export { type GitCall, GitFailure, gitCommand, presentObjects, runGit } from "./rungit.js";
export { type LimitSettings, rules as settingRules, type Settings } from "./settings.js";
export { type Startup, startProgram } from "./startup.js";
export { configFolder, type StateOptions, stateFolder, wantedFolder } from "./state.js";
export { defaultBounds, type NodeStore, type NodeStoreOptions, nodeStore } from "./store.js";
export { homeFolder } from "./system.js";
export { findRepository, findWorkspace, type Repository, type Workspace } from "./workspace.js";
