import { expect, test } from "bun:test";
import fc from "fast-check";
import { OutputTail } from "../../../src/processes/output/output-tail.ts";

const chunks = fc.array(fc.uint8Array({ maxLength: 9000 }), { maxLength: 12 });

test("keeps exactly the last bytes and counts all of them", () => {
  fc.assert(
    fc.property(chunks, fc.integer({ min: 1, max: 20_000 }), fc.nat(20_000), (list, capacity, limit) => {
      const tail = new OutputTail(capacity);
      for (const chunk of list) tail.append(chunk);
      const whole = Buffer.concat(list);
      const last = (count: number) => whole.subarray(Math.max(0, whole.length - count));
      expect(Buffer.compare(tail.bytes(), last(capacity))).toBe(0);
      expect(Buffer.compare(tail.bytes(limit), last(Math.min(limit, capacity)))).toBe(0);
      expect(tail.totalBytes).toBe(whole.length);
    }),
  );
});

test.each([
  ["", 0],
  ["a", 1],
  ["a\n", 1],
  ["a\nb", 2],
  ["\n\n", 2],
])("%j has %i lines", (text, lines) => {
  const tail = new OutputTail(100);
  for (const byte of Buffer.from(text)) tail.append(Uint8Array.of(byte));
  expect(tail.totalLines).toBe(lines);
});

test("has room until something would be lost", () => {
  const tail = new OutputTail(10);
  tail.append(new Uint8Array(6));
  expect([tail.hasRoomFor(4), tail.hasRoomFor(5)]).toEqual([true, false]);
});
