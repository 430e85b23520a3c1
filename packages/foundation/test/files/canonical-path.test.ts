import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchDirectory } from "../../../../test/support/scratch-directory.mjs";
import { canonicalPath } from "../../src/files/canonical-path.ts";

let scratch: ReturnType<typeof scratchDirectory>;
let root: string;

beforeEach(() => {
  scratch = scratchDirectory();
  root = realpathSync(scratch.path);
  mkdirSync(join(root, "real"));
  writeFileSync(join(root, "real/file"), "");
  symlinkSync("real", join(root, "link"));
});

afterEach(() => scratch[Symbol.dispose]());

test("a file that exists", () => {
  expect(canonicalPath(join(root, "link/file"))).toBe(join(root, "real/file"));
});

test("a file and directories that do not exist, behind a link", () => {
  expect(canonicalPath(join(root, "link/new/deep/file"))).toBe(join(root, "real/new/deep/file"));
});

test("a link to a missing file names that file, over several links and missing directories", () => {
  symlinkSync("link/missing/target", join(root, "one"));
  symlinkSync(join(root, "one"), join(root, "two"));
  expect(canonicalPath(join(root, "two"))).toBe(join(root, "real/missing/target"));
  expect(canonicalPath(join(root, "two/below"))).toBe(join(root, "real/missing/target/below"));
});

test("something below a file", () => {
  expect(canonicalPath(join(root, "link/file/below"))).toBe(join(root, "real/file/below"));
});

test("links in a circle", () => {
  symlinkSync("b", join(root, "a"));
  symlinkSync("a", join(root, "b"));
  expect(() => canonicalPath(join(root, "a"))).toThrow(expect.objectContaining({ code: "ELOOP" }));
  expect(() => canonicalPath(join(root, "a/x"))).toThrow(expect.objectContaining({ code: "ELOOP" }));
});
