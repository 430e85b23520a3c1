import { expect, test } from "bun:test";
import fc from "fast-check";
import { type ListedPath, readPaths } from "../../../src/tools/search/list-files.ts";

const name = fc.oneof(
  fc.constantFrom("/a", "/b/ü", "/€/\ufffd", "/𝕏\n").map((text) => ({ bytes: Buffer.from(text), isExact: true })),
  fc
    .constantFrom("2fff", "2fc3", "2fe282", "2f61fe62")
    .map((hex) => ({ bytes: Buffer.from(hex, "hex"), isExact: false })),
);

test("yields every path, however the bytes are divided, and reports which could be decoded", () => {
  fc.assert(
    fc.property(fc.array(name), fc.array(fc.nat(60)), (names, cuts) => {
      const bytes = Buffer.concat(names.flatMap((each) => [each.bytes, Buffer.from([0])]));
      const places = [...new Set([0, ...cuts.filter((cut) => cut < bytes.length), bytes.length])].sort((a, b) => a - b);
      const taken: ListedPath[] = [];
      const read = readPaths((listed) => taken.push(listed) > 0);
      for (const [index, start] of places.slice(0, -1).entries()) {
        const chunk = Buffer.from(bytes.subarray(start, places[index + 1]));
        read(chunk);
        chunk.fill(0x21); // the buffer that was passed in may be reused
      }
      expect(taken.filter((listed) => listed.isExact).map((listed) => listed.path)).toEqual(
        names.filter((each) => each.isExact).map((each) => each.bytes.toString()),
      );
      expect(taken).toHaveLength(names.length);
    }),
  );
});

test("stops when there is enough", () => {
  const taken: string[] = [];
  const read = readPaths(({ path }) => taken.push(path) < 2);
  expect(read(Buffer.from("/a\0/b\0/c\0"))).toBe(false);
  expect(taken).toEqual(["/a", "/b"]);
});
