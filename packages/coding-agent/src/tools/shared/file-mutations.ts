import { SerialWork } from "@pintle/ai";
import { canonicalPath } from "@pintle/foundation";

/** The queue of each file that is in use. */
const workByFile = new Map<string, SerialWork>();

/**
 * Runs the function after all earlier work on the same file has ended, whatever path was used for it. Wrap reading,
 * changing and writing together. A failure of earlier work does not affect later work. Not reentrant for the same file.
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

/** Returns how many files are in use, so that tests can check that all were released. */
export function filesInMutation(): number {
  return workByFile.size;
}
