// What happened in the sessions that agents had on this machine, and what would the guard have done?

export { type AuditRequest, audit } from "./audit.js";
export { auditPage } from "./page.js";
export type { Audit, Case, Detail } from "./report.js";
export { lookedAt, many, reportRows, sentences, share } from "./sentences.js";
export { playGivenSessions } from "./threads.js";
