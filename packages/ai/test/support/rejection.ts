/**
 * What a promise rejects with. For promises that wait for a process or a socket: `expect(…).rejects` runs the event loop inside
 * of the test, and what else has arrived in that round, perhaps the answer itself, is never told.
 */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => {
      throw new Error(`It should have failed, and gave ${Bun.inspect(value)}`);
    },
    (error: unknown) => error,
  );
}
