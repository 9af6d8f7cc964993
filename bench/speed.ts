/**
 * Speed as ratios in one run: `--quick` leaves out what needs a disk, a network or minutes, `--only Commit` (or Core,
 * Start, Tree, MCP, Growth, Memory, Clients, Audit) everything else; neither is written down.
 */

import { formatHashLineBytes } from "../src/anchors/listing.js";
import { anchorOf } from "../src/edits/problem.js";
import { Document } from "../src/text/document.js";
import { judge, writeResults } from "./results.js";
import { auditChild, auditRows } from "./speed/audit.js";
import { clientRows } from "./speed/clients.js";
import { type ColdRow, coldChild, coldRows } from "./speed/cold.js";
import { commitRows } from "./speed/commit.js";
import { coreRows, editBytes } from "./speed/core.js";
import { type Growth, growth as grown } from "./speed/growth.js";
import { type Row, report } from "./speed/harness.js";
import { mcpRows, reportStale, staleRows } from "./speed/mcp.js";
import { memoryRows } from "./speed/memory.js";
import { growth, type ScalePoint, scaling } from "./speed/scaling.js";
import { startRows } from "./speed/start.js";
import { sourceText } from "./speed/text.js";
import { treeRows } from "./speed/tree.js";

const quick = process.argv.includes("--quick");
const only = process.argv.includes("--only") ? process.argv[process.argv.indexOf("--only") + 1] : undefined;

function inChild(): void {
  const bytes = Buffer.from(sourceText(10_000));
  const anchor = anchorOf(Document.parse(bytes.subarray(0, 4000)), 20, "hex6");
  const edits = [{ op: "set_line", anchor, text: "changed;" }];
  coldChild({
    split: () => bytes.toString().split("\n"),
    list: () => formatHashLineBytes(bytes),
    edit: () => editBytes(bytes, edits),
  });
}

function showScaling(points: readonly ScalePoint[]): void {
  console.log("\nGrowth: microseconds a line, and memory as a share of what is allowed");
  for (const { lines, split, list, edit, stale, memory, allowed } of points) {
    const each = [split, list, edit, stale]
      .map((time) => ((1000 * time) / lines).toFixed(3).padStart(8))
      .join("");
    console.log(
      `${String(lines).padStart(9)} lines  split, list, edit, stale:${each}   memory ${(memory / allowed).toFixed(2)}`,
    );
  }
}

function showCold(rows: readonly ColdRow[]): void {
  console.log("\nThe first call of a process, 10,000 lines (milliseconds; not judged)");
  for (const { work, cold, warm } of rows)
    console.log(
      `${work.padEnd(6)} cold ${cold.toFixed(2).padStart(7)}   warm ${warm.toFixed(2).padStart(7)}`,
    );
}

/** A row that cannot be measured is a goal missed, not the end of the others. */
async function inTime<T>(what: string, measured: () => T | Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("no answer for ten minutes")), 600_000);
  });
  try {
    return await Promise.race([Promise.resolve().then(measured), late]);
  } catch (error) {
    console.error(`${what} could not be measured: ${(error as Error).message}`);
    process.exitCode = 1;
    return null;
  } finally {
    clearTimeout(timer);
  }
}

async function main(): Promise<void> {
  const groups: Record<string, Row[]> = {};
  const group = async (title: string, measured: () => Row[] | Promise<Row[]>): Promise<void> => {
    if (only !== undefined && only !== title) return;
    groups[title] = (await inTime(title, measured)) ?? [];
    if (!report(title, groups[title])) process.exitCode = 1;
  };
  let curves: Growth["curves"] | null = null;
  const growthRows = async (): Promise<Row[]> => {
    const { rows, curves: found } = await grown();
    curves = found;
    return rows;
  };
  await group("Core", coreRows);
  if (!quick) {
    await group("Commit", commitRows);
    await group("Start", startRows);
    await group("Tree", treeRows);
    await group("MCP", mcpRows);
    await group("Growth", growthRows);
    await group("Memory", memoryRows);
    await group("Clients", clientRows);
    await group("Audit", () => auditRows(process.argv[1] as string));
  }
  if (only !== undefined) return;
  const cold = coldRows(process.argv[1] as string);
  showCold(cold);
  if (quick) return;
  const stale = (await inTime("stale edits through MCP", staleRows)) ?? [];
  reportStale(stale);
  const points = scaling();
  showScaling(points);
  console.log();
  judge([
    {
      what: "growth of the time a line takes, from 10,000 to 1,000,000 lines",
      goal: 1.5,
      measured: growth(),
    },
    {
      what: "memory, as a share of 4 × the bytes + 64 bytes a line",
      goal: 1,
      measured: Math.max(...points.map(({ memory, allowed }) => memory / allowed)),
    },
  ]);
  writeResults("speed", "npm run bench:speed", { groups, cold, stale, scaling: points, curves });
}

const auditing = process.argv.indexOf("--audit-child");
if (process.argv.includes("--cold-child")) inChild();
else if (auditing > 0) await auditChild(process.argv[auditing + 1] ?? "", process.argv[auditing + 2] ?? "");
else await main();
