import { expect, test } from "bun:test";
import { isInside } from "../../src/files/is-inside.ts";

test.each([
  ["/a/b", "/a/b", true],
  ["/a/b", "/a/b/c", true],
  ["/a/b", "/a/b/..c", true],
  ["/a/b", "/a/bc", false],
  ["/a/b", "/a", false],
  ["/a/b", "/a/c", false],
  ["/", "/a", true],
])("in %s: %s is %p", (directory, path, expected) => {
  expect(isInside(directory, path)).toBe(expected);
});
