/** Runs everything that can run without new input: one turn of the event loop, after all microtasks. */
export function quiet(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Lets a number of microtasks pass: fine enough to fall between two steps of the loop. */
export async function microtasks(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await null;
}
