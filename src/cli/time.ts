import { UsageError } from "./args.js";

const units: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

/** "30m", "2h", "7d" before now, or a date, as milliseconds since 1970. */
export function parseSince(text: string, now: number): number {
  const ago = /^(\d+(?:\.\d+)?)\s*([smhdw])$/.exec(text.trim());
  if (ago) return now - Number(ago[1]) * (units[ago[2] as string] as number);
  const date = Date.parse(text);
  if (!Number.isNaN(date) && /\d{4}/.test(text)) return date;
  throw new UsageError(`--since is like 30m, 2h, 7d or 2026-11-15; got ${JSON.stringify(text)}`);
}

const two = (value: number): string => String(value).padStart(2, "0");

/** Local time; the date only where it is not today's. */
export function formatTime(time: number, now: number): string {
  const date = new Date(time);
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const clock = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  return new Date(now).toDateString() === date.toDateString() ? clock : `${day} ${clock}`;
}

/** "just now", "5 minutes ago". */
export function formatAge(milliseconds: number): string {
  const steps: readonly (readonly [string, number])[] = [
    ["day", 86_400_000],
    ["hour", 3_600_000],
    ["minute", 60_000],
  ];
  for (const [name, length] of steps) {
    const count = Math.floor(milliseconds / length);
    if (count >= 1) return `${count} ${name}${count === 1 ? "" : "s"} ago`;
  }
  return "just now";
}
