// What does this machine offer? Disk calls, processes, programs, folders of the user.

export { checksumIn, nameOf, newToken, withChecksum, withoutChecksum } from "./checksums.js";
export { explained, failure, reason, StateError, stateFailure } from "./failure.js";
export {
  findRepository,
  findWorkspace,
  linkedTree,
  type Repository,
  type Workspace,
} from "./find-workspace.js";
export {
  compileGlob,
  compileGlobAbove,
  deniedByDefault,
  glob,
  type Matcher,
  matcher,
  secretByDefault,
} from "./globs.js";
export { agentIdentity, type Identity, type IdentityOptions } from "./identity.js";
export {
  closeQuietly,
  errorCode,
  flags,
  type Io,
  ifThere,
  isMissing,
  makeFolder,
  nodeIo,
  noMoreBytes,
  readAll,
  readFile,
  remove,
  type Stat,
  withFile,
  writeAll,
} from "./io.js";
export { appendLog } from "./log.js";
export {
  absurdPath,
  homeFolder,
  isSharingViolation,
  isWindows,
  type Platform,
  thisPlatform,
  ticks,
} from "./platform.js";
export { type Holder, held, type Processes, systemProcesses } from "./processes.js";
export { findProgram } from "./program.js";
export { startProgram } from "./startup.js";
export {
  attempts,
  configFolder,
  openStateFile,
  type StateOptions,
  stateFolder,
  wantedFolder,
} from "./state-folder.js";
