import { expect, test } from "bun:test";
import fc from "fast-check";
import { ByteRecords } from "../../../src/tools/grep/search-events.ts";

const SEMICOLON = 0x3b;

/** Splits the bytes at random places, as a pipe does. */
const chunked = fc
  .tuple(fc.array(fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 12 })), fc.array(fc.nat(40)))
  .map(([records, cuts]) => {
    const bytes = Buffer.from(records.map((record) => `${record};`).join(""));
    const places = [...new Set([0, ...cuts.filter((cut) => cut < bytes.length), bytes.length])].sort((a, b) => a - b);
    return { records, chunks: places.slice(1).map((end, index) => bytes.subarray(places[index], end)) };
  });

test("gives every record, its beginning and its size, however the bytes come", () => {
  fc.assert(
    fc.property(chunked, fc.integer({ min: 1, max: 14 }), ({ records, chunks }, maxBytes) => {
      const taken: { text: string; size: number }[] = [];
      const long: string[] = [];
      let current = "";
      const reader = new ByteRecords({
        delimiter: SEMICOLON,
        maxBytes,
        onLongRecord: (piece) => {
          current += Buffer.from(piece).toString();
        },
        take({ bytes, size }) {
          taken.push({ text: Buffer.from(bytes).toString(), size });
          if (size > maxBytes) long.push(current);
          current = "";
          return true;
        },
      });
      for (const chunk of chunks) {
        const copy = Buffer.from(chunk);
        reader.append(copy);
        copy.fill(0x21); // the buffer that was passed in may be reused
      }
      expect(taken).toEqual(records.map((text) => ({ text: text.slice(0, maxBytes), size: text.length })));
      expect(long).toEqual(records.filter((record) => record.length > maxBytes));
    }),
  );
});

test("stops when the reader has enough", () => {
  const taken: string[] = [];
  const reader = new ByteRecords({
    delimiter: SEMICOLON,
    maxBytes: 10,
    take: ({ bytes }) => taken.push(Buffer.from(bytes).toString()) < 2,
  });
  expect(reader.append(Buffer.from("a;b;c;d;"))).toBe(false);
  expect(taken).toEqual(["a", "b"]);
});
