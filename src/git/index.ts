// What does git know? The one function that starts git, and what is committed.

export { contentsOf } from "./blobs.js";
export { type GitOptions, gitCommits } from "./commits.js";
export { type GitCall, GitFailure, gitCommand, presentObjects, runGit, runOwnGit } from "./run-git.js";
export {
  committedTexts,
  countChanged,
  headOf,
  indexStamp,
  isUnderWay,
  type Listing,
  type ListingBounds,
  listChanges,
  withoutFilters,
} from "./work-tree.js";
