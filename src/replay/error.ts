/** What was given cannot be replayed: a history, a set, a peer. Said to the user as it is. */
export class ReplayError extends Error {
  override readonly name: string = "ReplayError";
}
