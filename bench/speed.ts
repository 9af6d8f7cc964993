import { coreRows } from "./speed/core.js";
import { report } from "./speed/harness.js";

const met = [report("Core", coreRows())];
if (met.includes(false)) process.exitCode = 1;
