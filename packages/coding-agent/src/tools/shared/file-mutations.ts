import { canonicalPath } from "../../files/canonical-path.ts";

/** The last in line for each file that somebody works on. */
const lastInLine = new Map<string, Promise<void>>();

/**
 * Runs the function when everybody who came before for the same file has finished, whatever path they used for it. Take it
 * for the whole of reading, changing and writing. What one of them throws is no matter of the next. It must not be taken
 * again for the same file from inside.
 */
export async function withFileMutationQueue<T>(absolutePath: string, work: () => Promise<T>): Promise<T> {
  const key = canonicalPath(absolutePath);
  const before = lastInLine.get(key);
  const { promise: turn, resolve: endTurn } = Promise.withResolvers<void>();
  lastInLine.set(key, turn);
  try {
    await before;
    return await work();
  } finally {
    endTurn();
    if (lastInLine.get(key) === turn) lastInLine.delete(key);
  }
}

/** How many files are being worked on or waited for. */
export function filesInMutation(): number {
  return lastInLine.size;
}
