import type { NodeStore } from "../../store/index.js";
import { recording } from "../../tree/index.js";
import type { Stream } from "./output.js";

/** Says at a terminal that uncommitted files went on record, by whatever program, if nobody has said so before. */
export function tellRecording({ notes }: Pick<NodeStore, "notes">, err: Stream): void {
  const [first] = notes.take("recording", "first") as unknown as { kept: number; left: number }[];
  if (first) err.line(`kedge: ${recording(first)}`);
}
