import { type Io, nodeIo } from "../../src/host/index.js";

export interface Fault {
  /** Which call fails, counted from 1; 0: none. */
  readonly at: number;
  /** An error code, or "short": a write that takes only half. */
  readonly error: string;
  readonly forGood: boolean;
  /** Counts and fails only these calls. */
  readonly only?: (call: string, args: readonly unknown[]) => boolean;
}

export interface FaultyIo {
  readonly io: Io;
  /** "open /path", in order. */
  readonly calls: string[];
  /** Descriptors that were not closed, and what was opened; those that were closed twice. */
  readonly opened: Map<unknown, unknown>;
  readonly closedTwice: unknown[];
}

/** The disk, with a fault. A call that fails has done nothing, except that a descriptor is closed in any case. */
export function faultyIo(fault: Fault, base: Io = nodeIo): FaultyIo {
  const calls: string[] = [];
  const opened = new Map<unknown, unknown>();
  const closedTwice: unknown[] = [];
  const follow = (name: string, given: unknown, result: unknown): unknown => {
    if (name === "open") opened.set(result, given);
    return result;
  };
  const io = Object.fromEntries(
    Object.entries(base).map(([name, action]) => [
      name,
      (...args: never[]): unknown => {
        const perform = (...given: never[]): unknown =>
          follow(name, given[0], (action as (...all: never[]) => unknown)(...given));
        const isClosing = name === "close" || name === "release";
        if (isClosing && !opened.delete(args[0])) closedTwice.push(args[0]);
        const call = `${name} ${String(args[0])}`;
        if (fault.only && !fault.only(call, args)) return perform(...args);
        calls.push(call);
        const fails = fault.at > 0 && (fault.forGood ? calls.length >= fault.at : calls.length === fault.at);
        if (!fails) return perform(...args);
        if (fault.error === "short") return isWrite(name) ? shortWrite(perform, args) : perform(...args);
        if (isClosing) perform(...args);
        throw Object.assign(new Error(`${fault.error}: played, ${call}`), { code: fault.error });
      },
    ]),
  ) as unknown as Io;
  return { io, calls, opened, closedTwice };
}

const isWrite = (name: string): boolean => name === "write" || name === "writeThrough";

function shortWrite(perform: (...given: never[]) => unknown, args: never[]): unknown {
  const [fd, bytes, position] = args as unknown as [number, Uint8Array, number | null];
  const half = bytes.subarray(0, Math.ceil(bytes.length / 2));
  return perform(...([fd, half, position] as unknown as never[]));
}
