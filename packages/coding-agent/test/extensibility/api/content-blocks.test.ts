import { expect, test } from "bun:test";
import fc from "fast-check";
import { requireContent, requireImages } from "../../../src/extensibility/api/content-blocks.ts";

const text = { type: "text", text: "t" };
const image = { type: "image", data: "d", mimeType: "image/png" };
const call = { type: "toolCall", id: "1", name: "n", arguments: {} };

const ACCEPTED: [role: string, content: unknown][] = [
  ["user", "text"],
  ["user", []],
  ["user", [text, image]],
  ["custom", "text"],
  ["toolResult", [text, image]],
  ["assistant", [{ type: "thinking", thinking: "t" }, { type: "redactedThinking", data: "d" }, text, call]],
];
test.each(ACCEPTED)("%s accepts %j", (role, content) => {
  expect(() => requireContent(role, content)).not.toThrow();
});

const REFUSED: [role: string, content: unknown, why: string][] = [
  ["assistant", "text", "content must be a list"],
  ["toolResult", "text", "content must be a list"],
  ["user", undefined, "content must be a list"],
  ["user", [null], 'content of the role "user" may contain only blocks of the types text, image'],
  ["user", Array(1), 'content of the role "user" may contain only blocks of the types text, image'],
  ["user", [call], 'content of the role "user" may contain only blocks of the types text, image'],
  ["user", [{ type: "constructor" }], 'content of the role "user" may contain only blocks of the types text, image'],
  ["user", [text, { type: "text" }], 'a block of the type "text" needs a string in "text"'],
  ["user", [{ ...image, mimeType: 5 }], 'a block of the type "image" needs a string in "mimeType"'],
  ["assistant", [{ ...call, arguments: undefined }], "a call needs arguments"],
];
test.each(REFUSED)("%s rejects %j", (role, content, why) => {
  expect(() => requireContent(role, content)).toThrow(why);
});

test.each([[[]], [[image, image]]])("accepts the images %j", (images) => {
  expect(() => requireImages(images)).not.toThrow();
});

test.each([
  ["a text", "images must be a list of images"],
  [[5], "images must be a list of images"],
  [Array(1), "images must be a list of images"],
  [[image, text], "images must be a list of images"],
  [[{ ...image, data: 5 }], 'a block of the type "image" needs a string in "data"'],
])("rejects the images %j", (images, why) => {
  expect(() => requireImages(images)).toThrow(why);
});

test("accepts every value or rejects it with a message", () => {
  fc.assert(
    fc.property(fc.anything(), (content) => {
      try {
        requireContent("toolResult", content);
      } catch (error) {
        expect((error as Error).message).toMatch(/content|block/);
        return;
      }
      expect((content as unknown[]).every((block) => Object(block) === block)).toBe(true);
    }),
  );
});
