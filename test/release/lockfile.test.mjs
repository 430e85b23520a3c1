// `npm ci` refuses a lockfile that lacks a package, even one for another platform. npm leaves such a package out without an
// error when the registry does not have it, so every lockfile is checked here, offline.
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../scripts/paths.mjs";

const LOCKFILES = [
  "package-lock.json",
  "packages/coding-agent/test/support/mcp-official/package-lock.json",
  "packages/coding-agent/test/support/public-extensions/package-lock.json",
];

describe.each(LOCKFILES)("%s", (file) => {
  const packages = JSON.parse(readFileSync(join(root, file), "utf8")).packages;

  test("has an entry for every dependency of every package, for all platforms", () => {
    const missing = Object.entries(packages).flatMap(([path, entry]) =>
      Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })
        .filter((name) => !foldersAbove(path).some((folder) => packages[`${folder}node_modules/${name}`]))
        .map((name) => `${path} needs ${name}`),
    );
    expect(missing).toEqual([]);
  });

  test("names a hash for every installed package, and no registry", () => {
    const installed = Object.entries(packages).filter(([path, entry]) => path.includes("node_modules/") && !entry.link);
    expect(installed.length).toBeGreaterThan(0);
    expect(installed.filter(([, entry]) => !entry.integrity || entry.resolved).map(([path]) => path)).toEqual([]);
  });
});

/** The folders in which Node looks for packages that `path` imports, nearest first. */
function foldersAbove(path) {
  const parts = path === "" ? [] : path.split("/");
  return [...parts.map((_, index) => `${parts.slice(0, parts.length - index).join("/")}/`), ""];
}
