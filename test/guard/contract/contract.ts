/** One contract over all clients: the guard decides by what an agent was shown, whatever client it comes from. */
import { describe } from "vitest";
import type { Driver } from "../drivers/driver.js";
import { agents } from "./agents.js";
import { blanks } from "./blanks.js";
import { capturedPayloads } from "./captured.js";
import { cut } from "./cut.js";
import { explained } from "./explained.js";
import { files } from "./files.js";
import { gate } from "./gate.js";
import { patches } from "./patches.js";
import { shown } from "./shown.js";
import { stale } from "./stale.js";
import { tabs } from "./tabs.js";
import { unkept } from "./unkept.js";

const parts = { gate, stale, blanks, shown, cut, agents, files, tabs, unkept, explained };

export function contract(driver: Driver): void {
  for (const [name, part] of Object.entries(parts)) describe(name, () => part(driver));
  if (driver.can.has("patch")) describe("patches", () => patches(driver));
  describe("captured", () => capturedPayloads(driver));
}
