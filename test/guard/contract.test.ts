/** One contract over all clients: the guard decides by what an agent was shown, whatever client it comes from. */
import { describe } from "vitest";
import { adapters } from "../../src/guard/index.js";
import { agents } from "./contract/agents.js";
import { blanks } from "./contract/blanks.js";
import { capturedPayloads } from "./contract/captured.js";
import { cut } from "./contract/cut.js";
import { explained } from "./contract/explained.js";
import { files } from "./contract/files.js";
import { gate } from "./contract/gate.js";
import { patches } from "./contract/patches.js";
import { shown } from "./contract/shown.js";
import { stale } from "./contract/stale.js";
import { tabs } from "./contract/tabs.js";
import { unkept } from "./contract/unkept.js";
import { drivers } from "./drivers/index.js";

const parts = { gate, stale, blanks, shown, cut, agents, files, tabs, unkept, explained };

for (const driver of drivers)
  describe.skipIf(!adapters[driver.client])(driver.client, () => {
    for (const [name, part] of Object.entries(parts)) describe(name, () => part(driver));
    if (driver.can.has("patch")) describe("patches", () => patches(driver));
    describe("captured", () => capturedPayloads(driver));
  });
