import type { Door, EditToolDetails } from "../answers/index.js";
import { type Result, refusalResult } from "../calls/index.js";
import type { Edit } from "../edits/index.js";
import { PatchError, type PatchHunk, parseCreation, parseUpdate, patchQuotes } from "../placement/index.js";
import { type Files, PortError } from "../ports/index.js";
import { Session, type SessionOptions } from "../session/index.js";
import { type Codec, Document } from "../text/index.js";

export interface PatchEditorOptions extends Omit<SessionOptions, "anchors"> {}

/** One operation of `apply_patch`, as the API sends it. */
export type PatchOperation =
  | { readonly type: "create_file"; readonly path: string; readonly diff: string }
  | {
      readonly type: "update_file";
      readonly path: string;
      readonly diff: string;
      readonly moveTo?: string | undefined;
    }
  | { readonly type: "delete_file"; readonly path: string };

/** How refusals name the next call, where only the host knows with what its agent reads. */
const patchDoor: Door = {
  read: (path, ranges) => {
    const lines = ranges
      ?.map(({ start, end }) => (start === end ? `${start}` : `${start}-${end}`))
      .join(", ");
    return `read ${lines ? `lines ${lines} of ` : ""}${path}`;
  },
  retry: () => "the patch again",
};

/**
 * Executes operations of OpenAI's `apply_patch`. A hunk quotes what it touches, so some showing of the file is enough;
 * creating needs none; deleting and moving need all of the file, unchanged. Show files with the tools that read, or
 * tell the session what another tool showed (`Session.observe`).
 *
 * @example
 * const patch = patchEditor({ files, store, agent: "a", clock: Date.now });
 * const { text, isError } = await patch({ type: "update_file", path: "a.ts", diff: "@@\n-old\n+new" });
 */
export function patchEditor(options: PatchEditorOptions): (operation: PatchOperation) => Promise<Result> {
  const door = options.door ?? patchDoor;
  const session = new Session({ ...options, anchors: "hex6", door, numbered: true });
  const run = async (operation: PatchOperation): Promise<Result> => {
    check(operation);
    const { path } = operation;
    switch (operation.type) {
      case "create_file":
        return whole(session, path, [{ op: "create_file", text: parseCreation(operation.diff) }]);
      case "delete_file":
        return whole(session, path, [{ op: "delete_file" }]);
      case "update_file": {
        const edits = await editsOf(operation, options);
        const to = operation.moveTo;
        return to === undefined
          ? session.edit({ path, edits })
          : whole(session, path, [...edits, { op: "move_file", to }]);
      }
    }
  };
  return async (operation) => {
    try {
      return await run(operation);
    } catch (error) {
      const path = String(operation?.path ?? "");
      if (error instanceof PatchError) return refusalResult(path, "bad_request", error.message);
      if (error instanceof PortError) return refusalResult(path, error.code, error.message);
      throw error;
    }
  };
}

const operations = ["create_file", "update_file", "delete_file"];

/** Checks the fields: a model may leave out fields that the schema requires. */
function check(operation: Partial<Record<"type" | "path" | "diff", unknown>> | null | undefined): void {
  const { type, path, diff } = operation ?? {};
  if (!operations.includes(type as string))
    throw new PatchError(`there is no operation ${JSON.stringify(type) ?? ""}: use ${operations.join(", ")}`);
  if (typeof path !== "string" || path === "") throw new PatchError("path is missing");
  if (type !== "delete_file" && typeof diff !== "string") throw new PatchError("diff is missing");
}

/** One file of a batch: an operation on it as a whole, and edits with it. */
async function whole(session: Session, path: string, edits: readonly Edit[]): Promise<Result> {
  const { details, ...rest } = await session.multiEdit({ files: [{ path, edits }] });
  if (!("files" in details) || details.status === "refused") return { ...rest, details };
  return { ...rest, details: details.files?.[0] as EditToolDetails };
}

async function editsOf(
  { path, diff, moveTo }: Extract<PatchOperation, { type: "update_file" }>,
  { files, codec }: PatchEditorOptions,
): Promise<Edit[]> {
  if (moveTo !== undefined && diff.trim() === "") return [];
  const hunks = parseUpdate(diff);
  const bytes = await files.read(await files.identify(path));
  if (!bytes) throw new PortError("not_found", `${path} does not exist`);
  const text = await parse(bytes, files, codec);
  if (text.lineCount === 0 && hunks.every(({ quoted }) => quoted.length === 0))
    return [{ op: "append", text: hunks.flatMap(added) }];
  return patchQuotes(hunks, text).map((quote) => ({ op: "replace_text" as const, ...quote }));
}

/** As the session reads it, or a quote would not be found. */
async function parse(bytes: Uint8Array, files: Files, codec: Codec | undefined): Promise<Document> {
  if (codec) return Document.parse(bytes, { codec });
  const text = Document.parse(bytes);
  const fallback = text.encoding === "latin1" ? await files.codec?.(bytes, null) : null;
  return fallback ? Document.parse(bytes, { fallback }) : text;
}

function added({ replacements }: PatchHunk): readonly string[] {
  return replacements.flatMap(({ lines }) => lines);
}
