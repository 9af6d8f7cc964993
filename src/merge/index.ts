// Where does an edit go in the file as it is now? The rules of resolution, pure.

export { copiedAnchors, withoutCopied } from "./caller-text.js";
export type { PlacedHunk } from "./meeting.js";
export { resolveNamed } from "./resolve.js";
export { type Choice, type ChoicePlace, choicePlaces, openAnchors } from "./retry.js";
export {
  type Applied,
  applySplices,
  type EngineOptions,
  hinted,
  nulMakesBinary,
  type OnStale,
  type Refused,
  type Remap,
  run,
  runEdits,
  shapeProblems,
} from "./run-edits.js";
