import { operations as lineOperations } from "../edits/index.js";
import type { Arguments } from "./arguments.js";
import type { Schema } from "./tool.js";

const fileOperations = ["create_file", "delete_file", "move_file"] as const;

const string: Schema = { type: "string" };

/** One flat object for all operations: a union of thirteen shapes is refused by some providers and costs thrice. */
function editsSchema(operations: readonly string[], more: Readonly<Record<string, Schema>> = {}): Schema {
  return {
    type: "array",
    items: {
      type: "object",
      properties: {
        op: { type: "string", enum: operations },
        anchor: string,
        start: string,
        end: string,
        after: string,
        text: string,
        old: string,
        new: string,
        all: { type: "boolean" },
        ...more,
      },
      required: ["op"],
    },
  };
}

export const lineEdits = editsSchema(lineOperations);
export const fileEdits = editsSchema([...lineOperations, ...fileOperations], { to: string });

/** Shapes of other tools of this family, in which the operation is the key. The normaliser reads them. */
const nested = ["set_line", "replace_lines", "insert_after", "insert_before", "replace"];

/** A single edit whose fields were not put into a list. */
export function strayEdit(args: Arguments): readonly unknown[] | undefined {
  const fields = args.stray(["op", ...nested]);
  return fields && [fields];
}

export function isEdit(fields: Readonly<Record<string, unknown>>): boolean {
  return ["op", ...nested].some((name) => fields[name] !== undefined);
}
