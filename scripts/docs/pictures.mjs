// docs/pictures/*.svg: the pictures of docs/concepts.md, drawn from short lists of lines.

const colours = {
  ink: "#1f2328",
  faint: "#59636e",
  line: "#d1d9e0",
  paper: "#ffffff",
  ours: "#0969da",
  theirs: "#bc4c00",
  good: "#1a7f37",
  bad: "#cf222e",
};
const row = 22;
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

function text(
  x,
  y,
  words,
  { colour = colours.ink, size = 13, mono = false, weight = 400, middle = false } = {},
) {
  const family = mono
    ? "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
    : "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif";
  return `<text x="${x}" y="${y}" fill="${colour}" font-size="${size}" font-weight="${weight}" font-family="${family}" xml:space="preserve"${middle ? ' text-anchor="middle"' : ""}>${escaped(words)}</text>`;
}

/** A sheet of code with a title; a line is its text, or its text, the colour behind it and a note. */
function sheet(x, y, title, lines, width = 210) {
  const height = lines.length * row + 16;
  return [
    text(x, y - 8, title, { colour: colours.faint, weight: 600 }),
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="6" fill="${colours.paper}" stroke="${colours.line}"/>`,
    ...lines.flatMap((line, at) => {
      const [words, colour] = [line].flat();
      const top = y + 8 + at * row;
      const mark = colour
        ? [
            `<rect x="${x + 4}" y="${top}" width="${width - 8}" height="${row}" rx="3" fill="${colour}" opacity="0.14"/>`,
          ]
        : [];
      return [
        ...mark,
        text(x + 12, top + 15, words, { mono: true, size: 12, colour: colour ?? colours.ink }),
      ];
    }),
  ].join("");
}

function arrow(x1, y1, x2, y2, colour = colours.faint) {
  const bend = (x1 + x2) / 2;
  return `<path d="M${x1} ${y1} C${bend} ${y1} ${bend} ${y2} ${x2 - 6} ${y2}" fill="none" stroke="${colour}" stroke-width="2" marker-end="url(#${colour === colours.ours ? "ours" : colour === colours.theirs ? "theirs" : "plain"})"/>`;
}

function picture(name, [width, height], title, parts) {
  const head = (id, colour) =>
    `<marker id="${id}" viewBox="0 0 8 8" refX="4" refY="4" markerWidth="5" markerHeight="5" orient="auto"><path d="M0 0 8 4 0 8z" fill="${colour}"/></marker>`;
  const heads = [
    head("ours", colours.ours),
    head("theirs", colours.theirs),
    head("plain", colours.faint),
  ].join("");
  const body = parts.join("\n");
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}"><title>${escaped(title)}</title><defs>${heads}</defs>
<rect width="${width}" height="${height}" rx="8" fill="#f6f8fa"/>
${body}
</svg>
`;
  return { path: `docs/pictures/${name}.svg`, text: svg };
}

export default function pictures() {
  const { ours, theirs, good, bad, faint } = colours;
  const anchor = picture(
    "anchor",
    [720, 232],
    "An anchor names a line of the version that was shown; the edit goes where that line is now",
    [
      sheet(
        24,
        48,
        "What the agent was shown",
        ["1#d14552|function hello() {", ["2#1f0001|  return 41;", ours], "3#44bb18|}"],
        250,
      ),
      sheet(
        446,
        48,
        "The file now",
        [["// SPDX: MIT", theirs], ["", theirs], "function hello() {", ["  return 42;", good], "}"],
        250,
      ),
      arrow(276, 89, 444, 133, ours),
      text(360, 84, "edit 2#1f0001", { colour: ours, middle: true, size: 12, mono: true }),
      text(446, 202, "Line 2 is line 4 now. The edit follows it.", { colour: faint }),
      text(24, 202, "Printed rows name lines, once and for all.", { colour: faint }),
    ],
  );
  const merge = picture(
    "merge",
    [720, 420],
    "Changes in other lines are kept; changes in the same lines refuse the edit",
    [
      sheet(24, 150, "Version shown", ["let tax = 0.2;", "let sum = 0;", "return sum;"]),
      sheet(255, 48, "The agent's edit", ["let tax = 0.2;", "let sum = 0;", ["return sum * tax;", ours]]),
      sheet(255, 256, "The file now: others", [["let tax = 0.25;", theirs], "let sum = 0;", "return sum;"]),
      arrow(236, 175, 253, 90, ours),
      arrow(236, 205, 253, 298, theirs),
      sheet(486, 150, "Written: both", [
        ["let tax = 0.25;", theirs],
        "let sum = 0;",
        ["return sum * tax;", ours],
      ]),
      arrow(467, 90, 484, 175, ours),
      arrow(467, 298, 484, 205, theirs),
      text(24, 378, "Had others changed the line `return sum;` too:", { colour: bad, weight: 600 }),
      text(
        24,
        400,
        "nothing is written. The refusal shows the line as it is now, and a handle to send the edit again.",
        { colour: faint },
      ),
    ],
  );
  const lost = picture(
    "lost",
    [720, 264],
    "A command takes the work of two agents away; both are told, and restore merges it back",
    [
      sheet(
        24,
        48,
        "anna and ben have edited",
        [
          ["cart.js   anna", ours],
          ["tax.js    ben", theirs],
        ],
        190,
      ),
      sheet(
        266,
        48,
        "carl runs",
        ["$ git checkout -- .", ["cart.js   gone", bad], ["tax.js    gone", bad]],
        190,
      ),
      sheet(
        508,
        48,
        "kedge restore --all",
        [
          ["cart.js   anna", good],
          ["tax.js    ben", good],
        ],
        190,
      ),
      arrow(216, 86, 264, 86),
      arrow(458, 86, 506, 86),
      text(266, 164, "Told at their next step:", { weight: 600 }),
      text(266, 186, "anna: your edit of cart.js is gone, by carl's command", { colour: ours }),
      text(266, 208, "ben: your edit of tax.js is gone, by carl's command", { colour: theirs }),
      text(
        24,
        244,
        "What others did to the files since is kept: restoring is a merge, by the rules of every edit.",
        { colour: faint },
      ),
    ],
  );
  return [anchor, merge, lost];
}
