export interface Limits {
  /** Bytes of the largest file that is read or written. */
  readonly size: number;
  /** Milliseconds to wait for a file that another process holds. */
  readonly wait: number;
  /** Milliseconds that a search may take. */
  readonly time: number;
}

export const defaultLimits: Limits = { size: 64 * 1024 * 1024, wait: 10_000, time: 30_000 };
