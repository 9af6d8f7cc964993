// What becomes of edits that come too late? Cases made from a git history, and every way of editing played on them.

export { type Case, ReplayError } from "./cases/case.js";
export { type CaseSet, generate } from "./cases/generate.js";
export { gitSource } from "./cases/git-source.js";
export { allMechanisms } from "./mechanisms/all.js";

export { peer } from "./mechanisms/peer.js";
export { readPrepared } from "./prepared.js";
export { headingText, setText, tablesText } from "./report.js";
export { type Mechanism, type Score, score } from "./score.js";
export { caseText, hasRefused, playAll } from "./show.js";
export { judged, verdictText } from "./verdict.js";
