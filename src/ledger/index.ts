// What has an agent seen of a file, and what may it do with it?

export {
  type AgentLedger,
  besideGap,
  carry,
  type Deletion,
  hasSeen,
  isShownLast,
  knownNow,
  type LedgerShowing,
  newestFor,
  type Printer,
  showingsFor,
  shownInRefusals,
  untoldLines,
  wrote,
} from "./agent-ledger.js";
export {
  audience,
  beginEpoch,
  type Caller,
  epochOf,
  nameByPrompt,
  nameOfAgent,
  renameAgent,
} from "./agents.js";
export { remover, writer } from "./authors.js";
export { encodingIn } from "./file-ledger.js";
export {
  countsOf,
  isKept,
  keepParsed,
  keptTexts,
  parse,
  type Texts,
  writtenLines,
} from "./file-texts.js";
export {
  type Decision,
  deletion,
  describe,
  type GatePolicy,
  gate,
  gateLines,
  neverShown,
  promptRules,
  type Seen,
  shownRows,
} from "./gate.js";
export {
  batchId,
  type Done,
  type FoundChange,
  isCollision,
  isTakingBack,
  journalChange,
  journalFound,
  journalHead,
  journalLoss,
  journalRefusal,
  journalThrown,
  Recording,
} from "./journal.js";
export { type FileContext, type NamedRow, OpenFile, searchedShowings } from "./open-file.js";
export type { Recorder } from "./recorder.js";
export {
  type CallEnv,
  contextOf,
  type Env,
  isTooLarge,
  type Look,
  lookingContext,
  olderTexts,
  openAny,
  peek,
  type UnitEnv,
  versionOf,
  withFile,
  withFiles,
  withOpen,
} from "./with-open-file.js";
