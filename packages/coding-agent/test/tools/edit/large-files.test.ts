import { expect, test } from "bun:test";
import { applyEdits } from "../../../src/tools/edit/apply-edits.ts";
import { decodeFile } from "../../../src/tools/edit/file-text.ts";

// Anything quadratic takes minutes with these files, and the runner's time limit ends it.

function result(text: string, oldText: string, newText = "x"): string {
  try {
    const { notes } = applyEdits(decodeFile(Buffer.from(text))!, [{ oldText, newText }], "a.ts");
    return notes.join("; ");
  } catch (error) {
    return (error as Error).message;
  }
}

const LINE = "    foo(bar, baz);\n";

test.each([
  [
    "lines that are all the same, and one that differs",
    LINE.repeat(300_000),
    `${LINE.repeat(2000)}    fop(bar, baz);`,
    "was not found",
  ],
  [
    "lines that are all the same, indented less",
    LINE.repeat(300_000),
    "foo(bar, baz);\n".repeat(3000),
    "50 or more occurrences",
  ],
  ["one line with too many places", "ab ".repeat(2_000_000), "ab  ab  ab", "50 or more occurrences"],
  ["one letter", "a".repeat(5_000_000), `${"a".repeat(5000)}b`, "was not found"],
  ["empty lines", `foo\n${"\n".repeat(5_000_000)}bar`, "foo\nbar\n\n", "matched ignoring"],
  ["escapes", "a\n".repeat(100_000), `${"\\\"'`\\n".repeat(20_000)}q`, "was not found"],
])("%s", (_name, text, oldText, expected) => {
  expect(result(text, oldText)).toContain(expected);
});

test("a line of a megabyte is kept, but not merged", () => {
  const minified = "(a,b)=>{c.d[e]='f';},".repeat(50_000);
  const spaced = minified.replaceAll(",", ", ");
  expect(result(`${minified}\nend\n`, `${spaced}\nend`, `${spaced}\nstop`)).toContain("spaces inside lines");
  expect(result(`${minified}\nend\n`, `${spaced}\nend`, `${spaced}!\nend`)).toContain(
    "unclear how to apply the edit (a line is too long)",
  );
});
