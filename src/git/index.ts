// What does git know? The one function that starts git, and what is committed.

export { blobsIn, contentsOf } from "./blobs.js";
export { gitCommits } from "./commits.js";
export { GitFailure, gitCommand, presentObjects, runGit, runOwnGit } from "./run-git.js";
export {
  committedTexts,
  countChanged,
  headOf,
  indexStamp,
  isUnderWay,
  type Listing,
  listChanges,
  withoutFilters,
} from "./work-tree.js";
