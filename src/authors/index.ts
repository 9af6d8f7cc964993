// Whose line is this? Blame, the part of one author, and a git commit of it.

export { agentsIn, repositoryOf } from "./agents-in.js";
export { type Author, isCertain, type Party } from "./author.js";
export { type BlamedLine, blame } from "./blame.js";
export { commit, patchOfPlan, planWork, refuseUnfinished, type Work } from "./commit.js";
export { type FileWork, loadWork } from "./file-work.js";
export { fromTop } from "./git/from-top.js";
export { CommitRefusal, type MissingNeed } from "./refusal.js";
