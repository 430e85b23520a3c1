/**
 * Returns what a promise rejects with. For promises that wait for a process or a socket: `expect(…).rejects` runs the
 * event loop inside the test, and other events of that turn, perhaps the answer itself, can be lost.
 */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => {
      throw new Error(`Expected a rejection, got ${Bun.inspect(value)}`);
    },
    (error: unknown) => error,
  );
}
