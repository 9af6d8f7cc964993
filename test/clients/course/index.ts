import type { Scenario } from "../scenario.js";
import { gate } from "./gate.js";
import { lost } from "./lost.js";
import { memory } from "./memory.js";
import { stale } from "./stale.js";

/** The course: the same for every client, alone and with the guard. */
export const course: readonly Scenario[] = [...gate, ...stale, ...memory, ...lost];
