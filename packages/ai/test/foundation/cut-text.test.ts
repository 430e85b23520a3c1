import { expect, test } from "bun:test";
import fc from "fast-check";
import { cutText } from "../../src/foundation/cut-text.ts";

test("keeps what fits and marks the cut", () => {
  expect([cutText("abc", 3), cutText("abcd", 3), cutText("", 0)]).toEqual(["abc", "abc…", ""]);
});

test("does not leave half a character at the cut", () => {
  expect(cutText("ab😀", 3)).toBe("ab\ufffd…");
});

test("the result is well formed, starts like the original and never exceeds limit plus mark", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.nat(20), (text, most) => {
      const cut = cutText(text, most);
      expect(cut.isWellFormed()).toBe(true);
      if (text.length <= most) expect(cut).toBe(text);
      else expect(cut.length).toBe(most + 1);
      expect(text.startsWith(cut.replace(/\ufffd?…$/, ""))).toBe(text.length > most || cut === text);
    }),
  );
});
