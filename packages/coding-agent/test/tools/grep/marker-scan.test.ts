import { expect, test } from "bun:test";
import fc from "fast-check";
import { MarkerScan } from "../../../src/tools/grep/search-events.ts";

test("finds the first marker and keeps what follows, however the bytes come", () => {
  const text = fc.string({ unit: fc.constantFrom("x", "=", "1"), maxLength: 60 });
  fc.assert(
    fc.property(text, fc.array(fc.nat(60)), (all, cuts) => {
      const scan = new MarkerScan("x=");
      const places = [...new Set([0, ...cuts, all.length])].filter((cut) => cut <= all.length).sort((a, b) => a - b);
      for (const [index, start] of places.entries()) scan.add(Buffer.from(all.slice(start, places[index + 1])));
      const at = all.indexOf("x=");
      expect(scan.value).toBe(at === -1 ? undefined : all.slice(at + 2, at + 2 + 24));
    }),
  );
});
