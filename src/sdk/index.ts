// How does a program open a session on the disk?

export { type OpenOptions, openSession, sessionOptions } from "./open-session.js";
