import { expect, test } from "bun:test";
import { isInputBlock, textsOf } from "../src/content.ts";

test.each<[unknown, boolean]>([
  [{ type: "text", text: "" }, true],
  [{ type: "image", data: "AAAA", mimeType: "image/png" }, true],
  [{ type: "text", text: 1 }, false],
  [{ type: "text" }, false],
  [{ type: "image", data: "AAAA" }, false],
  [{ type: "image", mimeType: "image/png" }, false],
  [{ type: "toolCall", text: "" }, false],
  [{ text: "" }, false],
  ["text", false],
  [null, false],
  [undefined, false],
  [[], false],
])("%j is a block: %p", (value, expected) => expect(isInputBlock(value)).toBe(expected));

test("takes only text, in order", () => {
  expect(
    textsOf([
      { type: "thinking", thinking: "hm" },
      { type: "text", text: "a" },
      { type: "toolCall", id: "1", name: "x", arguments: {} },
      { type: "text", text: "b" },
    ]),
  ).toEqual(["a", "b"]);
  expect(textsOf("plain")).toEqual(["plain"]);
});
