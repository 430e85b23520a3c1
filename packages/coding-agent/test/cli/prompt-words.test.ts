import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchDirectory } from "../../../../test/support/scratch-directory.mjs";
import { toPrompts } from "../../src/cli/prompt-words.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABh6FO1AAAAABJRU5ErkJggg==",
  "base64",
);

test("the words are one message; piped text and files precede it, further messages are separate prompts", () => {
  using scratch = scratchDirectory();
  const note = join(scratch.path, "note.txt");
  const empty = join(scratch.path, "empty.txt");
  const picture = join(scratch.path, "picture.txt"); // the file name is wrong, the bytes decide
  writeFileSync(note, "first line\n");
  writeFileSync(empty, "");
  writeFileSync(picture, PNG);
  expect(
    toPrompts([`@${note}`, "look", `@${empty}`, "at  this", `@${picture}`], ["then that"], "from a pipe\n"),
  ).toEqual([
    {
      text: `from a pipe\n\n<file name="${note}">\nfirst line\n\n</file>\n<file name="${picture}"></file>\nlook at  this`,
      images: [{ type: "image", data: PNG.toString("base64"), mimeType: "image/png" }],
    },
    { text: "then that", images: [] },
  ]);
});

test.each<[string[], string[], string, string[]]>([
  [["what", "files", "are", "here"], [], "", ["what files are here"]],
  [["two words"], ["b", "c"], "", ["two words", "b", "c"]],
  [[], ["a", "b"], "piped", ["piped\na", "b"]],
  [["  "], ["a"], "", ["a"]],
  [[], [], "piped", ["piped"]],
  [[], [], " \n", []],
])("words %j, messages %j, pipe %j: %j", (words, further, piped, texts) => {
  expect(toPrompts(words, further, piped).map(({ text }) => text)).toEqual(texts);
});

test("a missing file is an error that names it", () => {
  expect(() => toPrompts(["@/does/not/exist"], [], "")).toThrow("/does/not/exist");
});
