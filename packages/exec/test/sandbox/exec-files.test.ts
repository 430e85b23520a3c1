import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { scratchPath } from "../../../../test/support/scratch-directory.mjs";
import { ExecFiles } from "../../src/sandbox/exec-files.ts";

let directory: string;
beforeEach(() => {
  directory = join(scratchPath(), "sandbox");
});
afterEach(() => rmSync(join(directory, ".."), { recursive: true }));

const image = (text: string) => new TextEncoder().encode(text);

test("the same program is one file, which its owner alone can run", async () => {
  const paths = await Promise.all(
    [new ExecFiles(directory), new ExecFiles(directory)].map((files) => files.program(image("a"))),
  );
  expect(paths[0]).toBe(paths[1]!);
  expect(readFileSync(paths[0]!, "utf8")).toBe("a");
  expect(statSync(paths[0]!).mode & 0o777).toBe(0o500);
  expect(readdirSync(directory)).toEqual([basename(paths[0]!)]);
});

test("a file with another content is replaced", async () => {
  const path = await new ExecFiles(directory).program(image("a"));
  chmodSync(path, 0o700);
  writeFileSync(path, "changed");
  expect(readFileSync(await new ExecFiles(directory).program(image("a")), "utf8")).toBe("a");
});

test("programs that were not used for long are removed, and nothing else", async () => {
  const old = await new ExecFiles(directory).program(image("old"));
  utimesSync(old, 0, 0);
  writeFileSync(join(directory, "strength.json"), "{}");
  utimesSync(join(directory, "strength.json"), 0, 0);
  const path = await new ExecFiles(directory).program(image("new"));
  expect(readdirSync(directory).sort()).toEqual([basename(path), "strength.json"].sort());
});
