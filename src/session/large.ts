/** Files that are too large to be read: they are known by their size and hash, and can be deleted or moved. */
import { type Context, OpenFile } from "./open.js";
import { type FileId, type Held, type Measure, PortError } from "./ports.js";

export function isTooLarge(error: unknown): error is PortError {
  return error instanceof PortError && error.code === "too_large";
}

/** Opens a file for what needs none of its text. */
export async function openAny(held: Held, file: FileId, context: Context): Promise<OpenFile> {
  try {
    return await OpenFile.open(held, file, context);
  } catch (error) {
    const measure = isTooLarge(error) ? await held.measure?.(file) : null;
    if (!measure) throw error;
    const opened = await OpenFile.of(standIn(measure), file, context);
    opened.measure = measure;
    return opened;
  }
}

/** One line in the place of its text; with NUL, so that nobody takes it for that. */
function standIn({ size, hash }: Measure): Uint8Array {
  return new TextEncoder().encode(`\0${size} bytes, hash ${hash}`);
}

/** Nothing is kept under the name for a measure: what stands in for a text must never be brought back as one. */
export function versionOf({ document, measure }: OpenFile): string | null {
  return measure ? `${measure.hash}-${measure.size}` : (document?.version ?? null);
}
