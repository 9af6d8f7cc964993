// What is the model told? Results, refusals and the next call, as data and as text.

export {
  type ApplyOptions,
  type ApplyRefusal,
  type ApplyResult,
  applyEdits,
  HashlineMismatchError,
} from "./apply-edits.js";
export { againLine, choiceLines, type NewName, overText, takenBackText } from "./offers.js";
export {
  type HashMismatch,
  plainRefusal,
  type RefusalDetails,
  refusalDetails,
  selectRows,
  spokenScheme,
  tooLong,
} from "./refusal-details.js";
export {
  editsAgain,
  nextStep,
  notRead,
  refusalBody,
  refusalText,
  rejected,
  removeFirst,
} from "./refusal-text.js";
export {
  changedRanges,
  dryRunBegins,
  type EditToolDetails,
  listedAnchors,
  resultText,
  unrecordedText,
} from "./result-text.js";
export {
  type Door,
  dryRunDoor,
  libraryDoor,
  rangesJson,
  requestJson,
  retryJson,
  type Voice,
} from "./voice.js";
