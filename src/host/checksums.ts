const seeds = [0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f] as const;

/**
 * A file name for any text: 28 letters and digits. Not cryptographic, because loading `crypto` costs a hook a quarter
 * of its life; what is found under a name is therefore compared with the text it was made from.
 */
export function nameOf(text: string): string {
  return seeds.map((seed) => lane(text, seed).toString(36).padStart(7, "0")).join("");
}

/** Tells a text from one that was damaged: seven letters and digits. */
function checksumOf(text: string): string {
  return lane(text, seeds[0]).toString(36).padStart(7, "0");
}

function lane(text: string, seed: number): number {
  let hash = seed ^ text.length;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x5bd1e995);
    hash ^= hash >>> 13;
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return (hash ^ (hash >>> 15)) >>> 0;
}

let counter = 0;
const pid = process.pid.toString(36);
/** Whole numbers: the digits of a fraction would take as long as the rest of a lock. */
const randoms = 36 ** 8;

/** Never the same twice, in any process. */
export function newToken(clock: () => number): string {
  counter += 1;
  const random = Math.floor(Math.random() * randoms).toString(36);
  return `${clock().toString(36)}-${pid}-${counter.toString(36)}-${random}`;
}

const head = ',"sum":"';
const tail = '"}';
const length = head.length + checksumOf("").length + tail.length;

/**
 * JSON with a checksum as its last field: a flipped bit of a number would otherwise count as what was shown, or name
 * another file. Still one line of JSON, for whoever looks.
 */
export function withChecksum(value: object): string {
  const text = JSON.stringify(value).slice(0, -1);
  return `${text}${head}${checksumOf(text)}${tail}`;
}

/** The checksum at the end of such a line: it tells the line from others. */
export function checksumIn(text: string): string {
  return text.slice(head.length - length, -tail.length);
}

/** Throws if it is damaged. Files without a checksum were written before there were any. */
export function withoutChecksum(text: string): unknown {
  const end = text.length - length;
  if (!text.startsWith(head, end)) return JSON.parse(text);
  const value = text.slice(0, Math.max(end, 0));
  if (text !== `${value}${head}${checksumOf(value)}${tail}`) throw new Error("its checksum is another");
  return JSON.parse(`${value}}`);
}
