const pending = new Set<() => void>();
let isListening = false;

/**
 * What must not outlive this process, a folder or a program: `clean` runs when the process exits, however that comes
 * about, unless the function that is given back was called before.
 */
export function untilExit(clean: () => void): () => void {
  if (!isListening) process.on("exit", cleanAll);
  isListening = true;
  pending.add(clean);
  return () => pending.delete(clean);
}

function cleanAll(): void {
  // The last first: a program may still write into the folder that was made before it.
  for (const clean of [...pending].reverse()) {
    try {
      clean();
    } catch {
      // The others are to be cleaned all the same.
    }
  }
}
