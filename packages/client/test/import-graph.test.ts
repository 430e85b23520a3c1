import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const source = resolve(import.meta.dir, "../src");

/** Collects every module reachable from the entry, and every external import. */
function walk(entry: string) {
  const files = new Set<string>();
  const foreign = new Set<string>();
  const visit = (file: string) => {
    if (files.has(file)) return;
    files.add(file);
    for (const { path } of new Bun.Transpiler({ loader: "ts" }).scanImports(readFileSync(file, "utf8"))) {
      if (path.startsWith(".")) visit(resolve(dirname(file), path));
      else foreign.add(path);
    }
  };
  visit(entry);
  return { files: [...files].map((file) => file.slice(source.length + 1)).sort(), foreign: [...foreign].sort() };
}

test("the core needs no runtime and no package", () => {
  const { files, foreign } = walk(join(source, "core/index.ts"));
  expect(foreign).toEqual([]);
  expect(files.filter((file) => !file.startsWith("core/"))).toEqual(["protocol.ts"]);
  const globals = files.filter((file) => /\b(process|Buffer|Bun)\./.test(readFileSync(join(source, file), "utf8")));
  expect(globals).toEqual([]);
});

test("the client needs Node's modules and no package", () => {
  const { foreign } = walk(join(source, "index.ts"));
  expect(foreign.filter((name) => !name.startsWith("node:"))).toEqual([]);
  const { dependencies } = JSON.parse(readFileSync(join(source, "../package.json"), "utf8"));
  expect(dependencies).toBeUndefined();
});
