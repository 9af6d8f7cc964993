/** Finds the price of edits that failed: the calls about the same file up to the edit that succeeds. */
import type { PlayedCall } from "./report.js";

/** After so many calls about other things it is no recovery any more. */
const patience = 25;

interface Recovery {
  readonly path: string;
  readonly agent: string;
  left: number;
}

/** Those of one session. */
export class Recoveries {
  private open: Recovery[] = [];

  constructor(private readonly sum: { characters: number }) {}

  /** Takes the next call, and says whether it belongs to a recovery. */
  isRecovery({ agent, edit, about: paths, size }: PlayedCall): boolean {
    for (const one of this.open) if (one.agent === agent) one.left -= 1;
    this.open = this.open.filter(({ left }) => left > 0);
    const about = this.open.filter((one) => one.agent === agent && paths.includes(one.path));
    if (about.length > 0) {
      this.sum.characters += size;
      for (const one of about) one.left = patience;
    }
    // An edit that a person does not want is not tried again.
    if (!edit || edit.failure === "declined") return about.length > 0;
    if (edit.failure !== null)
      for (const path of edit.paths) {
        if (about.some((one) => one.path === path)) continue;
        this.open.push({ path, agent, left: patience });
        this.sum.characters += size;
      }
    else this.open = this.open.filter((one) => !about.includes(one) || !edit.paths.includes(one.path));
    return about.length > 0;
  }
}
