/** Finds the price of edits that failed: the calls about the same file up to the edit that succeeds. */
import { basename } from "node:path";
import type { FailureKind } from "./failures.js";
import type { Call } from "./sessions/steps.js";

/** After so many calls about other things it is no recovery any more. */
const patience = 25;

interface Recovery {
  readonly path: string;
  readonly agent: string;
  left: number;
}

export class Recoveries {
  private open: Recovery[] = [];

  constructor(private readonly sum: { calls: number; characters: number }) {}

  take(call: Call, failure: FailureKind | null): void {
    const { agent, asks } = call;
    for (const one of this.open) if (one.agent === agent) one.left -= 1;
    this.open = this.open.filter(({ left }) => left > 0);
    const about = this.open.filter((one) => one.agent === agent && isAbout(call, one.path));
    if (about.length > 0) {
      this.sum.calls += 1;
      this.sum.characters += call.size();
      for (const one of about) one.left = patience;
    }
    // An edit that a person does not want is not tried again.
    if (failure === "declined") return;
    if (failure !== null)
      for (const { path } of asks) {
        if (about.some((one) => one.path === path)) continue;
        this.open.push({ path, agent, left: patience });
        this.sum.characters += call.size();
      }
    else if (asks.length > 0)
      this.open = this.open.filter(
        (one) => !about.includes(one) || !asks.some(({ path }) => path === one.path),
      );
  }
}

function isAbout({ asks, shown, command }: Call, path: string): boolean {
  if (asks.some((one) => one.path === path) || shown?.path === path) return true;
  return command?.includes(basename(path)) ?? false;
}
