import { expect, test } from "bun:test";
import { posix } from "node:path";
import fc from "fast-check";
import { groupPaths, isHeading } from "../../src/tools/execute-find.ts";

test("lists the files of a directory below it, and a single file on one line", () => {
  const paths = [
    "src/b.ts",
    "README.md",
    "src/a.ts",
    "test/deep/x.ts",
    "/etc/hosts",
    "/etc/passwd",
    "/vmlinuz",
    "/init",
  ];
  expect(groupPaths(paths)).toEqual([
    "src/",
    " b.ts",
    " a.ts",
    "README.md",
    "test/deep/x.ts",
    "/etc/",
    " hosts",
    " passwd",
    "/",
    " vmlinuz",
    " init",
  ]);
});

/** Parses the text as its reader would. */
function readPaths(lines: readonly string[]): string[] {
  let directory = "";
  return lines.flatMap((line) => {
    if (line.startsWith(" ")) return [`${directory}${line.slice(1)}`];
    directory = isHeading(line) ? line : "";
    return isHeading(line) ? [] : [line];
  });
}

const name = fc
  .array(fc.constantFrom("a", "b", ".", " ", ":", "#", "é", "-"), { minLength: 1, maxLength: 3 })
  .map((letters) => letters.join(""))
  .filter((text) => text !== "." && text !== "..");
const path = fc
  .tuple(fc.boolean(), fc.array(name, { minLength: 1, maxLength: 4 }))
  .map(([isAbsolute, names]) => `${isAbsolute ? "/" : ""}${names.join("/")}`);

test("exactly the paths can be read from the lines, and no line is longer than its path", () => {
  fc.assert(
    fc.property(fc.uniqueArray(path, { maxLength: 40 }), (paths) => {
      const lines = groupPaths(paths);
      const read = readPaths(lines).map((text) => posix.normalize(text));
      expect(read.toSorted()).toEqual(paths.toSorted());
      const bytes = (list: readonly string[]) => list.join("\n").length;
      // A heading saves space from the second file on, apart from blanks and the shortest names.
      expect(bytes(lines)).toBeLessThanOrEqual(bytes(paths) + 3 * paths.length);
    }),
  );
});
