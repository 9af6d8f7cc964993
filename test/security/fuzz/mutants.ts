/** Values and texts as no program would send them, made of those that programs send. */
import fc from "fast-check";

export const runs: number = Number(process.env.KEDGE_RUNS ?? 100);

/** Longer than this no call may take, on a busy machine. */
export const soon = 5_000;

/** Stand for what JSON can say and JavaScript cannot, and for what is too long to print. */
const written: Readonly<Record<string, string>> = {
  "@infinite": "1e999",
  "@minus zero": "-0.0",
  "@exact": "12345678901234567890123",
  "@deep list": `${"[".repeat(5_000)}${"]".repeat(5_000)}`,
  "@deep object": `${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`,
  "@proto": '{"__proto__":{"path":"a.js","agent":"x"},"constructor":{"prototype":1}}',
  "@twice": '{"path":"b.txt","path":"a.js"}',
  "@huge": JSON.stringify("x".repeat(100_000)),
  "@huge lines": JSON.stringify("x\n".repeat(20_000)),
};

/** JSON with the stand-ins replaced. */
export function textOf(value: unknown): string {
  const text = JSON.stringify(value) ?? "null";
  return text.replace(/"(@[a-z ]+)"/g, (whole, name: string) => written[name] ?? whole);
}

/** `{…}` names a place of the test: see `Site.placed`. */
export const paths: readonly string[] = [
  ...[
    "{project}/a.js",
    "a.js",
    "./sub/../a.js",
    "../outside/canary.txt",
    "{outside}/canary.txt",
    "{outside}",
  ],
  ...["{project}/link.txt", "{project}/folder/canary.txt", "folder", "{project}/pipe", "pipe", "{project}"],
  ...[
    "/dev/zero",
    "/dev/full",
    "/dev/tty",
    "/proc/self/mem",
    "/proc/self/fd/0",
    "/proc/self/cwd/a.js",
    "/",
    "",
  ],
  ...["~/a.js", "{home}/a.js", "{state}", "{state}/guard.log", ".git/config", ".kedge.json", "id_rsa"],
  ...[
    "a\0b",
    "a\nb.js",
    "\u001b]0;x\u0007.js",
    "\u202ea.js",
    "a.js/b",
    "A.JS",
    "{project}//a.js",
    "../../../../../etc/hostname",
  ],
];

export const junk: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...paths) },
  { weight: 2, arbitrary: fc.constantFrom(...Object.keys(written)) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<unknown>(
      ...[
        null,
        true,
        false,
        0,
        -1,
        1e308,
        -1e308,
        2 ** 53,
        0.5,
        4294967296,
        "",
        " ",
        "\0",
        "\n",
        "\ud800",
        "\udfff\ud800",
      ],
      ...[
        "[]",
        "{}",
        '{"a":',
        "null",
        "NaN",
        "constructor",
        "__proto__",
        "toString",
        "length",
        "hasOwnProperty",
      ],
      ...[
        "\u2028",
        "\ufeff",
        "é".normalize("NFD"),
        "*** Begin Patch",
        "$(touch x)",
        "'; :",
        "`:`",
        "-",
        "--",
        "1#000000|x",
      ],
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
);

type Path = readonly (string | number)[];

export interface Step {
  readonly do: "drop" | "replace" | "double" | "swap" | "cut" | "wrap" | "rename";
  /** Picks a place of the value, and another one. */
  readonly at: number;
  readonly other: number;
  readonly by: unknown;
}

const step: fc.Arbitrary<Step> = fc.record({
  do: fc.constantFrom("replace", "replace", "drop", "double", "swap", "cut", "wrap", "rename"),
  at: fc.nat(10_000),
  other: fc.nat(10_000),
  by: junk,
});

/** One of these, changed at some places. */
export function mutated(seeds: readonly unknown[], most = 4): fc.Arbitrary<unknown> {
  return fc
    .tuple(fc.nat(seeds.length - 1), fc.array(step, { maxLength: most }))
    .map(([at, steps]) => steps.reduce(changed, seeds[at]));
}

function placesIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null || path.length > 8) return [path];
  return [path, ...Object.entries(value).flatMap(([key, inner]) => placesIn(inner, [...path, key]))];
}

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (from, key) => (from as Record<string | number, unknown> | undefined)?.[key],
    value,
  );
}

export function changed(value: unknown, { do: what, at: first, other, by }: Step): unknown {
  const places = placesIn(value);
  const place = places[first % places.length] as Path;
  const there = at(value, place);
  const elsewhere = at(value, places[other % places.length] as Path);
  switch (what) {
    case "drop":
      return placed(value, place, undefined);
    case "replace":
      return placed(value, place, by);
    case "double":
      return placed(value, place, Array.isArray(there) ? [...there, ...there] : [there, there]);
    case "swap":
      return placed(value, place, elsewhere);
    case "cut":
      return placed(value, place, typeof there === "string" ? there.slice(other % (there.length + 1)) : by);
    case "wrap":
      return placed(
        value,
        place,
        typeof there === "string" ? `${there}${String(by)}` : { [String(by)]: there },
      );
    case "rename":
      return typeof there === "object" && there !== null && !Array.isArray(there)
        ? placed(value, place, { ...there, [String(by)]: elsewhere })
        : placed(value, place, by);
  }
}

function placed(value: unknown, [key, ...rest]: Path, by: unknown): unknown {
  if (key === undefined) return by;
  if (Array.isArray(value)) {
    const inner = value.map((one, index) => (String(index) === key ? placed(one, rest, by) : one));
    return by === undefined && rest.length === 0 ? inner.filter((_, index) => String(index) !== key) : inner;
  }
  const from = value as Record<string, unknown>;
  return { ...from, [key]: placed(from[key], rest, by) };
}

/** The text as it is, or cut, or with something in it that does not belong there. */
export function garbled(texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const other = fc.record({
    at: fc.nat(100_000),
    length: fc.nat(20),
    by: fc.constantFrom("", "\0", "}", '"', ",", "\\", "\ud800", "[[[[", "/* x */", "\ufeff", "\r", "é"),
  });
  const broken = fc.tuple(texts, other).map(([text, { at: from, length, by }]) => {
    const start = from % (text.length + 1);
    return text.slice(0, start) + by + text.slice(start + length);
  });
  return fc.oneof({ weight: 6, arbitrary: texts }, { weight: 1, arbitrary: broken });
}
