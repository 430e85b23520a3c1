import { expect, test } from "bun:test";
import fc from "fast-check";
import { cutText } from "../../src/foundation/cut-text.ts";

test("what fits stays as it is, the rest is marked", () => {
  expect([cutText("abc", 3), cutText("abcd", 3), cutText("", 0)]).toEqual(["abc", "abc…", ""]);
});

test("half a character at the cut does not stay half", () => {
  expect(cutText("ab😀", 3)).toBe("ab\ufffd…");
});

test("a cut text is well formed, begins as the whole and is no longer than the limit and the mark", () => {
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
