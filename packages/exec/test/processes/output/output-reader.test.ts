import { expect, test } from "bun:test";
import { OutputReader, type ReadableOutput } from "../../../src/processes/output/output-reader.ts";

/** Yields the strings one after another, each in a later turn of the event loop, and then keeps the reader waiting. */
function outputOf(texts: string[]): ReadableOutput & { isDiscarded: boolean } {
  return {
    isDiscarded: false,
    read: () =>
      new Promise((resolve) => {
        const text = texts.shift();
        if (text !== undefined) setImmediate(() => resolve(Buffer.from(text)));
      }),
    async discardRest() {
      this.isDiscarded = true;
    },
  };
}

test("reads what the pipe contained at the exit, even if this process was busy all the time", async () => {
  const taken: string[] = [];
  const reader = new OutputReader(outputOf(["one", "two", "three"]), (chunk) => void taken.push(String(chunk)));
  const drained = reader.drain();
  Bun.sleepSync(300);
  await drained;
  expect(taken).toEqual(["one", "two", "three"]);
});

test("a writer that never pauses does not keep the command from ending", async () => {
  let bytes = 0;
  const chunk = new Uint8Array(100_000);
  const endless: ReadableOutput = {
    read: () => new Promise((resolve) => setImmediate(() => resolve(chunk))),
    discardRest: async () => {},
  };
  const reader = new OutputReader(endless, ({ length }) => {
    bytes += length;
    return undefined;
  });
  await reader.drain();
  const atEnd = bytes;
  await Bun.sleep(20);
  expect(atEnd).toBeGreaterThan(1024 * 1024);
  expect(bytes).toBe(atEnd);
});

test("a failing consumer is reported at the end, and the command continues", async () => {
  const output = outputOf(["one", "two"]);
  const reader = new OutputReader(output, () => {
    throw new Error("cannot take it");
  });
  while (!output.isDiscarded) await Bun.sleep(1);
  await expect(reader.drain()).rejects.toThrow("cannot take it");
});
