import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { checkContents } from "../../scripts/release/check-contents.mjs";
import { emptyDirectory, PATIENCE_MS, packages, runIn } from "./support/installed.mjs";

test(
  "every package contains what it should, no source and no test",
  () => {
    expect(packages().flatMap(checkContents)).toEqual([]);
  },
  PATIENCE_MS,
);

test(
  "the launcher is JavaScript and the only linked file",
  async () => {
    const directory = emptyDirectory("unpacked");
    await runIn(directory, ["tar", "-xzf", packages().find(({ name }) => name === "pintle").file]);
    const { bin, optionalDependencies, version } = JSON.parse(
      readFileSync(join(directory, "package/package.json"), "utf8"),
    );
    expect(bin).toEqual({ pintle: "bin/pintle.cjs" });
    expect(readFileSync(join(directory, "package/bin/pintle.cjs"), "utf8")).toStartWith("#!/usr/bin/env node\n");
    expect(Object.keys(optionalDependencies)).toHaveLength(7);
    expect(new Set(Object.values(optionalDependencies))).toEqual(new Set([version]));
  },
  PATIENCE_MS,
);

test.each([
  ["@pintle/client", ["dist/index.js", "src/index.ts"], "src/index.ts does not belong there"],
  ["@pintle/client", ["dist/index.js", "dist/index.js.map"], "dist/index.js.map does not belong there"],
  ["@pintle/client", ["dist/index.js", "dist/core.test.js"], "dist/core.test.js does not belong there"],
  ["pintle", ["types/coding-agent/index.d.ts"], "bin/pintle.cjs is missing"],
  ["@pintle/linux-x64", ["bin/pintle", "bin/native/rg"], "bin/native/ast-grep/engine.node is missing"],
  ["@pintle/linux-x64", ["bin/pintle", "bin/pintle.new"], "bin/pintle.new does not belong there"],
  ["other", ["index.js"], "no rule says what may be in it"],
])("%s with %j: %s", (name, paths, complaint) => {
  expect(checkContents({ name, paths })).toContain(`${name}: ${complaint}`);
});
