import type { NodeStore } from "../../store/index.js";
import { recording } from "../../tree/index.js";
import type { Stream } from "./output.js";

/** Says once that uncommitted files went on record: to the person at the terminal, else by the next door that has one. */
export function tellRecording(
  recorded: { readonly kept: number; readonly left: number },
  { notes }: NodeStore,
  err: Stream,
): void {
  if (err.isTerminal) err.line(`kedge: ${recording(recorded)}`);
  else notes.add("recording", "first", recorded);
}
