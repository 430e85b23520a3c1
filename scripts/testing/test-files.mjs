// Which test files there are, and in which groups they run: each group is one process and one line of the report.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "../paths.mjs";

/** A package with more files than that is divided by its folders. */
const MANY = 60;

/** @typedef {{ name: string, runner: "bun" | "node" | "python", python?: string, files: string[] }} Group `python` is the command */

/** Those whose path contains one of the words; all when there are none. */
export function findTestFiles(words) {
  const packages = readdirSync(join(root, "packages")).map((name) => `packages/${name}/test`);
  return [...packages, "test", "python/test"]
    .flatMap((folder) => below(folder))
    .filter((path) => /\.test\.(ts|mjs)$|\/test_\w+\.py$/.test(path))
    .filter((path) => words.length === 0 || words.some((word) => path.includes(word.replace(/^\.\//, ""))))
    .sort();
}

/** @returns {Group[]} */
export function groupTestFiles(files) {
  const packages = groupBy(files, (path) => (path.startsWith("python/") ? "python" : path.split("/")[1]));
  return [...packages].flatMap(([name, own]) => {
    const runner = name === "node" || name === "python" ? name : "bun";
    if (runner !== "bun" || own.length <= MANY) return [{ name, runner, files: own }];
    const folders = groupBy(own, (path) => {
      const [, , , folder, ...rest] = path.split("/");
      return rest.length === 0 ? name : `${name}/${folder}`;
    });
    return [...folders].map(([folder, some]) => ({ name: folder, runner, files: some }));
  });
}

function below(folder) {
  let entries;
  try {
    entries = readdirSync(join(root, folder), { withFileTypes: true });
  } catch (error) {
    if (error.code === "ENOENT") return []; // a package without tests
    throw error;
  }
  return entries.flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? below(path) : [path];
  });
}

function groupBy(files, nameOf) {
  const groups = new Map();
  for (const file of files) groups.set(nameOf(file), [...(groups.get(nameOf(file)) ?? []), file]);
  return groups;
}
