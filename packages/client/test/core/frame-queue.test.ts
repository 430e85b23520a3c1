import { expect, test } from "bun:test";
import { FrameQueue } from "../../src/core/frame-queue.ts";

/** A transport that is full after every write until the test releases it. */
function narrow() {
  const written: unknown[] = [];
  const waiting: (() => void)[] = [];
  const queue = new FrameQueue({
    write(text) {
      written.push(JSON.parse(text));
      return new Promise<void>((resolve) => void waiting.push(resolve));
    },
    onData() {},
    onClose() {},
  });
  const drain = async () => {
    waiting.shift()?.();
    await Promise.resolve();
    await Promise.resolve();
  };
  return { queue, written, drain };
}

test("writes nothing while the transport is full, then everything in order", async () => {
  const { queue, written, drain } = narrow();
  for (const n of [1, 2, 3]) queue.send({ type: "t", n });
  expect(written).toEqual([{ type: "t", n: 1 }]);
  await drain();
  expect(written).toEqual([
    { type: "t", n: 1 },
    { type: "t", n: 2 },
  ]);
  await drain();
  await drain();
  expect(written).toEqual([
    { type: "t", n: 1 },
    { type: "t", n: 2 },
    { type: "t", n: 3 },
  ]);
});

test("replaces a queued frame by a newer one with the same key, at the newer position", async () => {
  const { queue, written, drain } = narrow();
  queue.send({ type: "t", n: 1 });
  queue.send({ type: "t", n: 2 }, "call");
  queue.send({ type: "t", n: 3 });
  queue.send({ type: "t", n: 4 }, "call");
  for (let n = 0; n < 4; n += 1) await drain();
  expect(written).toEqual([
    { type: "t", n: 1 },
    { type: "t", n: 3 },
    { type: "t", n: 4 },
  ]);
});

test("withdraws a queued frame, but not one that has been sent", async () => {
  const { queue, written, drain } = narrow();
  const takeBackFirst = queue.send({ type: "t", n: 1 });
  const takeBackSecond = queue.send({ type: "t", n: 2 });
  queue.send({ type: "t", n: 3 });
  takeBackFirst();
  takeBackSecond();
  await drain();
  await drain();
  expect(written).toEqual([
    { type: "t", n: 1 },
    { type: "t", n: 3 },
  ]);
});

test("a transport that fails while it is full does not stop the queue", async () => {
  const written: string[] = [];
  const queue = new FrameQueue({
    write(text) {
      written.push(text);
      return written.length === 1 ? Promise.reject(new Error("lost")) : undefined;
    },
    onData() {},
    onClose() {},
  });
  queue.send({ type: "t", n: 1 });
  queue.send({ type: "t", n: 2 });
  await Promise.resolve();
  await Promise.resolve();
  expect(written).toHaveLength(2);
});
