import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { findLines } from "../../../src/tools/edit/find-lines.ts";

/** A list that counts how often its items are read. */
function counted(lines: readonly string[]) {
  let reads = 0;
  const list = new Proxy(lines, {
    get(target, key, receiver) {
      if (typeof key === "string" && /^\d+$/.test(key)) reads += 1;
      return Reflect.get(target, key, receiver);
    },
  });
  return { list, reads: () => reads };
}

describe("lines that repeat", () => {
  const file = Array.from({ length: 20_000 }, () => "foo(bar);");

  test("are looked at a constant number of times when the last wanted one differs", () => {
    const { list, reads } = counted(file);
    const wanted = [...file.slice(0, 5000), "foo(baz);"];
    expect(findLines(list, wanted, 50)).toEqual({ places: [], isCut: false });
    expect(reads()).toBeLessThan(file.length * 4);
  });

  test("are not looked at further when there are too many places", () => {
    const { list, reads } = counted(file);
    expect(findLines(list, ["foo(bar);", "foo(bar);", "foo(bar);"], 50).isCut).toBe(true);
    expect(reads()).toBeLessThan(1000);
  });
});

test("finds what looking at every place finds", () => {
  const line = fc.constantFrom("a", "b", "a b", "b a", "(a", "a)");
  fc.assert(
    fc.property(fc.array(line, { maxLength: 20 }), fc.array(line, { minLength: 1, maxLength: 4 }), (lines, wanted) => {
      const starts = findLines(lines, wanted, 1000).places.map(({ line: index }) => index);
      const expected = lines.flatMap((_, index) => {
        const part = lines.slice(index, index + wanted.length);
        const whole = part.length === wanted.length && `\n${part.join("\n")}\n`;
        const text = wanted.join("\n").replaceAll(/[()]/g, "\\$&");
        if (!whole) return [];
        const count = [...whole.matchAll(new RegExp(`(?=(?<!\\w)${text}(?!\\w))`, "g"))].length;
        return Array.from({ length: count }, () => index);
      });
      expect(starts).toEqual(expected);
    }),
    { numRuns: 1000 },
  );
});
