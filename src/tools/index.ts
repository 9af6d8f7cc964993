// What may an agent do with files? One file for each tool: name, description, schema, and the call that it makes.

import { editFile } from "./edit-file.js";
import { grep } from "./grep.js";
import { multiEdit } from "./multi-edit.js";
import { readFile } from "./read-file.js";
import type { Tool } from "./tool.js";
import { writeFile } from "./write-file.js";

export { Arguments, BadArgument, parsed } from "./arguments.js";
export { toolDoor } from "./door.js";
export type { Extra, ObjectSchema, Schema, Tool } from "./tool.js";

/** Every tool, in the order in which every door lists them. A prompt cache lives by that order. */
export const tools: readonly Tool[] = [readFile, editFile, multiEdit, writeFile, grep];

/** The tools that write nothing. */
export const readOnlyTools: readonly Tool[] = tools.filter(({ annotations }) => annotations.readOnlyHint);
