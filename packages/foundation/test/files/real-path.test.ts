import { expect, test } from "bun:test";
import { mkdirSync, realpathSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { scratchDirectory } from "../../../../test/support/scratch-directory.mjs";
import { realPath } from "../../src/files/real-path.ts";

test("links are followed; what is missing, loops or cannot be a name has no real path", () => {
  using scratch = scratchDirectory();
  const at = (name: string) => join(scratch.path, name);
  mkdirSync(at("folder"));
  symlinkSync("folder", at("link"));
  symlinkSync("loop", at("loop"));
  const found = ["folder", "link", "missing", "loop", "a\0b"].map((name) => realPath(at(name)));
  const folder = join(realpathSync(scratch.path), "folder");
  expect(found).toEqual([folder, folder, undefined, undefined, undefined]);
});
