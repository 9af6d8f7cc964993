/** Plots as SVG: no script, no style of their own, and every number also as text. */
import type { Audit } from "./report.js";
import { number, share } from "./sentences.js";

const width = 640;
const barHeight = 22;
const gap = 8;
const labelWidth = 250;
const valueWidth = 110;

export interface Bar {
  readonly label: string;
  readonly value: number;
  readonly of: number;
  readonly kind: "failed" | "good" | "bad" | "other";
}

/** Markup that a page would obey is written so that it is shown. */
export function escaped(text: string): string {
  const names: Readonly<Record<string, string>> = {
    "&": "amp",
    "<": "lt",
    ">": "gt",
    '"': "quot",
    "'": "#39",
  };
  return text.replace(/[&<>"']/g, (character) => `&${names[character]};`);
}

/** Bars one below the other, each with its number and its share. */
export function barPlot(title: string, bars: readonly Bar[]): string {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  const room = width - labelWidth - valueWidth;
  const rows = bars.map(({ label, value, of, kind }, at) => {
    const top = at * (barHeight + gap);
    const length = value === 0 ? 0 : Math.max(2, (room * value) / most);
    const middle = top + barHeight / 2;
    const part = share(value, of);
    return [
      text(labelWidth - 10, middle, escaped(label.trim()), "label end"),
      `<rect class="${kind}" x="${labelWidth}" y="${top}" width="${length.toFixed(1)}" height="${barHeight}" rx="3"/>`,
      text(labelWidth + length + 8, middle, `${number(value)}${part === "" ? "" : ` · ${part}`}`, "value"),
    ].join("");
  });
  return svg(title, bars.length * (barHeight + gap), rows.join("\n"));
}

const plotHeight = 170;
const base = 136;
const mostDays = 60;

/** Edits day by day; the lower part of each bar is what failed. */
export function dayPlot({ extent }: Audit): string {
  const days = Object.entries(extent.days).filter(([day]) => day !== "unknown");
  const shown = days.sort(([one], [two]) => (one < two ? -1 : 1)).slice(-mostDays);
  const most = Math.max(1, ...shown.map(([, { edits }]) => edits));
  const step = width / Math.max(shown.length, 8);
  const bars = shown.map(([day, { edits, failed }], at) => {
    const [all, bad] = [(base * edits) / most, (base * failed) / most];
    const x = (at * step + step * 0.15).toFixed(1);
    const size = `width="${(step * 0.7).toFixed(1)}"`;
    const told = `<title>${escaped(day)}: ${number(edits)} edits, ${number(failed)} failed</title>`;
    const isLast = at > 0 && at === shown.length - 1;
    const label = isLast ? text(Math.max(at + 1, 2) * step, base + 18, escaped(day), "label end") : "";
    return [
      `<g>${told}<rect class="other" x="${x}" y="${(base - all).toFixed(1)}" ${size} height="${all.toFixed(1)}" rx="2"/>`,
      `<rect class="failed" x="${x}" y="${(base - bad).toFixed(1)}" ${size} height="${bad.toFixed(1)}"/></g>`,
      at === 0 ? text(0, base + 18, escaped(day), "label") : label,
    ].join("");
  });
  return svg("Edits by day, and how many failed", plotHeight, bars.join("\n"));
}

function svg(title: string, height: number, body: string): string {
  const head = `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}">`;
  return `<figure><figcaption>${escaped(title)}</figcaption>${head}\n${body}\n</svg></figure>`;
}

function text(x: number, y: number, content: string, kind: string): string {
  return `<text class="${kind}" x="${x.toFixed(1)}" y="${y.toFixed(1)}" dominant-baseline="central">${content}</text>`;
}
