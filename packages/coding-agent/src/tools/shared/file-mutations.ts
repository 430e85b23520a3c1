import { SerialWork } from "@pintle/ai";
import { canonicalPath } from "../../files/canonical-path.ts";

/** Of the files that are being worked on or waited for. */
const workByFile = new Map<string, SerialWork>();

/**
 * Runs the function when all earlier work on the same file has ended, whatever path was used for it. Take it for the whole of
 * reading, changing and writing. What earlier work throws is no matter of the next. It must not be taken again for the same
 * file from inside.
 */
export async function withFileMutationQueue<T>(absolutePath: string, work: () => Promise<T>): Promise<T> {
  const key = canonicalPath(absolutePath);
  const works = workByFile.get(key) ?? new SerialWork();
  workByFile.set(key, works);
  try {
    return await works.run(work);
  } finally {
    if (works.isIdle) workByFile.delete(key);
  }
}

/** How many files are being worked on or waited for; a test asks whether all were let go. */
export function filesInMutation(): number {
  return workByFile.size;
}
