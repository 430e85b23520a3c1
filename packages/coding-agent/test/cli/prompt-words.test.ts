import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { toPrompts } from "../../src/cli/prompt-words.ts";
import { scratchDirectory } from "../support/program.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABh6FO1AAAAABJRU5ErkJggg==",
  "base64",
);

test("piped text and files stand before the first message, further messages are prompts of their own", () => {
  using scratch = scratchDirectory();
  const note = join(scratch.path, "note.txt");
  const empty = join(scratch.path, "empty.txt");
  const picture = join(scratch.path, "picture.txt"); // the name lies, the bytes do not
  writeFileSync(note, "first line\n");
  writeFileSync(empty, "");
  writeFileSync(picture, PNG);
  expect(toPrompts([`@${note}`, "look", `@${empty}`, "then this", `@${picture}`], "from a pipe\n")).toEqual([
    {
      text: `from a pipe\n\n<file name="${note}">\nfirst line\n\n</file>\n<file name="${picture}"></file>\nlook`,
      images: [{ type: "image", data: PNG.toString("base64"), mimeType: "image/png" }],
    },
    { text: "then this", images: [] },
  ]);
});

test("without words and with a blank pipe there is no prompt", () => {
  expect(toPrompts([], " \n")).toEqual([]);
});

test("a missing file is an error that names it", () => {
  expect(() => toPrompts(["@/does/not/exist"], "")).toThrow("/does/not/exist");
});
