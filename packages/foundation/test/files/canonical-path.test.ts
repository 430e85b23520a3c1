import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { scratchDirectory } from "../../../../test/support/scratch-directory.mjs";
import { canonicalPath, canonicalPaths } from "../../src/files/canonical-path.ts";

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

test("many paths that are examined together lead where each of them leads alone", () => {
  const name = fc.constantFrom("real", "link", "file", "a", "b", "c");
  const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"));
  const links = fc.uniqueArray(fc.tuple(fc.constantFrom("a", "b", "c"), path), {
    selector: ([at]) => at,
    maxLength: 3,
  });
  let trees = 0;
  fc.assert(
    fc.property(links, fc.array(path, { maxLength: 12 }), (made, asked) => {
      trees += 1;
      const tree = join(root, `${trees}`);
      mkdirSync(join(tree, "real"), { recursive: true });
      writeFileSync(join(tree, "real/file"), "");
      symlinkSync("real", join(tree, "link"));
      for (const [at, target] of made) symlinkSync(target, join(tree, at));
      const together = canonicalPaths();
      const outcome = (find: (path: string) => string, one: string) => {
        try {
          return find(join(tree, one));
        } catch (error) {
          return (error as { code?: string }).code;
        }
      };
      expect(asked.map((one) => outcome(together, one))).toEqual(asked.map((one) => outcome(canonicalPath, one)));
    }),
    { numRuns: Number(process.env.PINTLE_PROPERTY_RUNS ?? 200), seed: 46 },
  );
});
