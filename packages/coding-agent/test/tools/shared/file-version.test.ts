import { afterEach, beforeEach, expect, test } from "bun:test";
import { renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchDirectory } from "../../../../../test/support/scratch-directory.mjs";
import { readVersion } from "../../../src/tools/shared/file-version.ts";

let scratch: ReturnType<typeof scratchDirectory>;
let path: string;

beforeEach(() => {
  scratch = scratchDirectory();
  path = join(scratch.path, "a");
  writeFileSync(path, "content");
});

afterEach(() => scratch[Symbol.dispose]());

async function version() {
  const file = await readVersion(path, 100);
  if (!("bytes" in file)) throw new Error("not read");
  return file;
}

test("what was read and not touched since is accepted", async () => {
  const file = await version();
  expect(file.bytes.toString()).toBe("content");
  expect(() => file.refuseIfChanged("changed")).not.toThrow();
});

test.each<[string, () => void]>([
  ["grew", () => writeFileSync(path, "content and more")],
  ["has a new time", () => utimesSync(path, 1, 1)],
  ["is gone", () => rmSync(path)],
  [
    "was replaced",
    () => {
      writeFileSync(`${path}2`, "another");
      renameSync(`${path}2`, path);
    },
  ],
])("a file that %s is refused", async (_name, change) => {
  const file = await version();
  change();
  expect(() => file.refuseIfChanged("changed")).toThrow("changed");
});

test("a file above the limit is not read", async () => {
  expect(await readVersion(path, 6)).toEqual({ tooLarge: 7 });
});
