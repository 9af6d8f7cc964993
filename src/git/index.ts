// What does git know? The one function that starts git, and what is committed.

export { type GitOptions, gitCommits } from "./commits.js";
export { type GitCall, GitFailure, gitCommand, presentObjects, runGit } from "./run-git.js";
export {
  committedTexts,
  countChanged,
  headOf,
  indexStamp,
  isUnderWay,
  type Listing,
  type ListingBounds,
  listChanges,
} from "./work-tree.js";
