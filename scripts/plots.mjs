// Small SVG plots, without a library: text and lines take the reader's colours, light or dark; bars are readable on both.
const style = `<style>
text { font: 12px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2328; }
.title { font-size: 14px; font-weight: 600; }
.quiet { fill: #59636e; }
.on { fill: #ffffff; font-weight: 600; }
.grid { stroke: #818b98; stroke-opacity: 0.3; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  .quiet { fill: #9da7b3; }
  .on { fill: #ffffff; }
}
</style>`;

export const colours = {
  right: "#1a7f5a",
  refused: "#9a7b1c",
  wrong: "#cf3f3a",
  series: ["#1f7fc4", "#cf3f3a", "#9a7b1c", "#8256d0"],
};

const escaped = (text) =>
  String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
const round = (value) => Math.round(value * 10) / 10;

function text(x, y, content, { anchor = "start", kind = "" } = {}) {
  const attributes = `${kind ? ` class="${kind}"` : ""}${anchor === "start" ? "" : ` text-anchor="${anchor}"`}`;
  return `<text x="${round(x)}" y="${round(y)}"${attributes}>${escaped(content)}</text>`;
}

function page(width, height, title, body) {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">
${style}
${text(12, 22, title, { kind: "title" })}
${body.join("\n")}
</svg>
`;
}

function legend(entries, first) {
  let [x, y] = [12, first];
  return entries.flatMap(({ name, colour }) => {
    if (x > 12 && x + 34 + name.length * 7 > 760) [x, y] = [12, y + 18];
    const parts = [
      `<rect x="${x}" y="${y - 10}" width="12" height="12" rx="2" fill="${colour}"/>`,
      text(x + 18, y, name),
    ];
    x += 34 + name.length * 7;
    return parts;
  });
}

/** Rows of parts that add up to a hundred per cent. */
export function stacked(title, parts, rows) {
  const [left, width, step] = [190, 760, 26];
  const span = width - left - 84;
  const body = [...legend(parts, 46)];
  rows.forEach(({ name, values, note }, at) => {
    const y = 62 + at * step;
    const sum = values.reduce((one, two) => one + two, 0);
    body.push(text(left - 10, y + 14, name, { anchor: "end" }));
    let x = left;
    values.forEach((value, part) => {
      const size = (span * value) / sum;
      if (size <= 0) return;
      body.push(
        `<rect x="${round(x)}" y="${y}" width="${round(Math.max(size, 1.5))}" height="18" fill="${parts[part].colour}"/>`,
      );
      if (size > 34)
        body.push(
          text(x + size / 2, y + 13.5, `${Math.round((100 * value) / sum)} %`, {
            anchor: "middle",
            kind: "on",
          }),
        );
      x += size;
    });
    body.push(text(left + span + 8, y + 14, note, { kind: "quiet" }));
  });
  return page(width, 62 + rows.length * step + 10, title, body);
}

/** Groups of bars; `log` for values that differ by powers of ten. */
export function bars(title, series, groups, { log = false, digits = 0 } = {}) {
  const [width, height, bottom, top] = [760, 300, 262, 70];
  const all = groups.flatMap(({ values }) => values);
  const scale = log ? (value) => Math.log10(Math.max(1, value)) : (value) => value;
  const most = Math.max(...all.map(scale));
  const slot = (width - 40) / groups.length;
  const bar = Math.min(44, (slot - 24) / series.length);
  const body = [
    ...legend(series, 46),
    `<line class="grid" x1="20" x2="${width - 20}" y1="${bottom}" y2="${bottom}"/>`,
  ];
  groups.forEach(({ name, values }, group) => {
    const middle = 20 + slot * (group + 0.5);
    body.push(text(middle, bottom + 18, name, { anchor: "middle" }));
    values.forEach((value, at) => {
      const x = middle - (bar * values.length) / 2 + at * bar;
      const size = Math.max(1.5, ((bottom - top) * scale(value)) / most);
      body.push(
        `<rect x="${round(x + 2)}" y="${round(bottom - size)}" width="${round(bar - 4)}" height="${round(size)}" rx="2" fill="${series[at].colour}"/>`,
      );
      const label = digits > 0 ? value.toFixed(digits) : value.toLocaleString("en-US");
      body.push(text(x + bar / 2, bottom - size - 5, label, { anchor: "middle" }));
    });
  });
  if (log) body.push(text(width - 20, bottom + 34, "logarithmic scale", { anchor: "end", kind: "quiet" }));
  return page(width, height, title, body);
}

/** Round numbers from zero up to a value, five or so. */
function steps(high) {
  const size = 10 ** Math.floor(Math.log10(high));
  const step = [0.2, 0.5, 1, 2].map((part) => part * size).find((one) => high / one <= 6);
  const whole = Math.max(1, step);
  return Array.from({ length: Math.floor(high / whole) + 1 }, (_, at) => at * whole);
}

/** Lines over a logarithmic axis; the other axis may be logarithmic too. */
export function lines(
  title,
  series,
  { xs, xName, yName, log = false, xLabel = (x) => x.toLocaleString("en-US") },
) {
  // Long legends take a second row.
  const isLong = series.reduce((sum, { name }) => sum + 34 + name.length * 7, 12) > 760;
  const [width, left, right, top] = [760, 70, 730, isLong ? 88 : 70];
  const [height, bottom] = [250 + top, 192 + top];
  const flat = series.flatMap(({ values }) => values);
  const y = log
    ? {
        of: (value) => Math.log10(value),
        low: Math.floor(Math.log10(Math.min(...flat))),
        high: Math.ceil(Math.log10(Math.max(...flat))),
      }
    : { of: (value) => value, low: 0, high: Math.max(1, ...flat) * 1.08 };
  const [low, high] = [Math.log10(xs[0]), Math.log10(xs.at(-1))];
  const placeX = (value) => left + ((right - left) * (Math.log10(value) - low)) / (high - low);
  const placeY = (value) => bottom - ((bottom - top) * (y.of(value) - y.low)) / (y.high - y.low);
  const ticks = log
    ? Array.from({ length: y.high - y.low + 1 }, (_, at) => 10 ** (y.low + at))
    : steps(y.high);
  const body = legend(series, 46);
  for (const tick of ticks) {
    const at = round(placeY(tick));
    body.push(`<line class="grid" x1="${left}" x2="${right}" y1="${at}" y2="${at}"/>`);
    body.push(
      text(
        left - 8,
        at + 4,
        Number(tick.toPrecision(3)).toLocaleString("en-US", { maximumFractionDigits: 3 }),
        { anchor: "end", kind: "quiet" },
      ),
    );
  }
  for (const x of xs) body.push(text(placeX(x), bottom + 18, xLabel(x), { anchor: "middle" }));
  for (const { values, colour } of series) {
    const points = values.map((value, at) => `${round(placeX(xs[at]))},${round(placeY(value))}`);
    body.push(`<polyline points="${points.join(" ")}" fill="none" stroke="${colour}" stroke-width="2.5"/>`);
    for (const point of points) {
      const [cx, cy] = point.split(",");
      body.push(`<circle cx="${cx}" cy="${cy}" r="3.5" fill="${colour}"/>`);
    }
  }
  body.push(text((left + right) / 2, bottom + 40, xName, { anchor: "middle", kind: "quiet" }));
  body.push(text(12, top - 6, yName, { kind: "quiet" }));
  return page(width, height, title, body);
}
