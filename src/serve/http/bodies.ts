import type { IncomingMessage } from "node:http";
import { Refused } from "./refused.js";

/** A file of some megabytes, escaped as JSON, fits. */
export const mostOfOne = 32 * 1024 * 1024;
/** The memory that all bodies which are on their way at once may take. */
export const mostOfAll = 256 * 1024 * 1024;

/** Reads the JSON of requests, and no more of it than there is room for. */
export class Bodies {
  private underWay = 0;

  constructor(
    private readonly one = mostOfOne,
    private readonly all = mostOfAll,
  ) {}

  async read(request: IncomingMessage): Promise<unknown> {
    this.check(Number(request.headers["content-length"] ?? 0));
    const parts: Buffer[] = [];
    let size = 0;
    try {
      // Kept, so that a refusal can still be answered.
      for await (const part of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        size += part.length;
        this.underWay += part.length;
        this.check(size);
        parts.push(part);
      }
      return JSON.parse(Buffer.concat(parts).toString("utf8"));
    } catch (error) {
      if (error instanceof SyntaxError) throw new Refused(400, "the body is not JSON");
      throw error;
    } finally {
      this.underWay -= size;
    }
  }

  private check(size: number): void {
    if (size > this.one) throw new Refused(413, `the body is longer than ${this.one} bytes`);
    if (this.underWay > this.all)
      throw new Refused(503, "too much is being sent to this server at once: try again", {
        "retry-after": "1",
      });
  }
}
