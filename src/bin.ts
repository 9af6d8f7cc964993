#!/usr/bin/env node
import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { startProgram } from "./host/index.js";

/** Hash of the program's text, put here by the build. */
declare const PROGRAM_ID: string;
declare const require: NodeJS.Require;

/** Commands that are called often, mostly by other programs. */
const frequent = ["read", "edit", "apply", "write", "grep"];

const [, self = "", command = ""] = process.argv;

startProgram({
  file: join(dirname(realpathSync(self)), "program.cjs"),
  id: PROGRAM_ID,
  use: frequent.includes(command) ? command : "other",
  require,
  env: process.env,
});
