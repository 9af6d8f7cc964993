export { defaultLimits, type Limits } from "./disk/index.js";
export {
  agentIdentity,
  findWorkspace,
  type Identity,
  type IdentityOptions,
  StateError,
  type StateOptions,
  stateFolder,
  type Workspace,
} from "./host/index.js";
export { type OpenOptions, openSession, sessionOptions } from "./sdk/index.js";
export {
  type Bounds,
  defaultBounds,
  type NodeStore,
  type NodeStoreOptions,
  nodeStore,
} from "./store/index.js";
export {
  type Config,
  type ConfigOptions,
  type LimitSettings,
  loadConfig,
  type NodeFiles,
  type NodeFilesOptions,
  namedCodec,
  nodeFiles,
  type Settings,
} from "./workspace/index.js";
