import { expect, test } from "bun:test";
import fc from "fast-check";
import { comparePaths } from "../../../src/tools/search/path-order.ts";

test("is the order of the components", () => {
  const path = fc
    .array(fc.string({ unit: fc.constantFrom("a", "b", ".", "-", "0"), minLength: 1, maxLength: 3 }), {
      minLength: 1,
      maxLength: 4,
    })
    .map((components) => components.join("/"));
  fc.assert(
    fc.property(path, path, (a, b) => {
      expect(Math.sign(comparePaths(a, b))).toBe(compareComponents(a.split("/"), b.split("/")));
    }),
  );
});

function compareComponents([a, ...restA]: string[], [b, ...restB]: string[]): number {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined);
  if (a !== b) return a < b ? -1 : 1;
  return compareComponents(restA, restB);
}
