import { expect, test } from "bun:test";
import fc from "fast-check";
import { countNewlines } from "../../src/text/count-newlines.ts";

test("the count is that of looking at every byte, at any alignment", () => {
  const bytes = fc.array(fc.oneof(fc.constantFrom(0x0a, 0x0b, 0x8a, 0x00, 0xff), fc.nat(255)), { maxLength: 3000 });
  fc.assert(
    fc.property(bytes, fc.nat(7), (list, offset) => {
      const chunk = Uint8Array.from([...Array(offset).fill(0x0a), ...list]).subarray(offset);
      expect(countNewlines(chunk)).toBe(list.filter((byte) => byte === 0x0a).length);
    }),
  );
});

test("a large chunk of nothing but newlines", () => {
  expect(countNewlines(new Uint8Array(1_000_003).fill(0x0a))).toBe(1_000_003);
});
