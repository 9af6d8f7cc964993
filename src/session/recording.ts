import { unrecordedText } from "../core/index.js";

/**
 * What is recorded of a file that is written already. It stands, recorded or not: a failure is told beside the result,
 * and does not keep the rest from being recorded.
 */
export class Recording {
  private readonly failures = new Set<string>();

  async try<T>(action: () => Promise<T>): Promise<T | undefined> {
    try {
      return await action();
    } catch (error) {
      this.failures.add(error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }

  /** At most one. */
  get warnings(): string[] {
    return this.failures.size === 0 ? [] : [unrecordedText([...this.failures])];
  }
}
