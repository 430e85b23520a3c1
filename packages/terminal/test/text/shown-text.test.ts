import { expect, test } from "bun:test";
import fc from "fast-check";
import { shownText } from "../../src/text/shown-text.ts";

test("replaces all control characters except line ends, and nothing else", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const shown = shownText(text);
      expect(shown.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
      expect(shown).not.toMatch(/[\u200b\u2028-\u202e\u2060-\u206f\u{e0000}-\u{e007f}]/u);
    }),
  );
  expect(shownText("a\u001b[31mb\r\nc\td\u0007 日本🙂")).toBe("a␛[31mb\nc    d␇ 日本🙂");
});
