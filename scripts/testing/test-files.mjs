// The test files and their groups: each group is one line of the report.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "../paths.mjs";

/** A package with more files is split by its folders. */
const MANY = 60;

const PROGRAM_AND_TOOLS = ["build", "system tools"];
/** Groups with requirements other than the built program and system tools, or with a setup that their files share. */
const GROUPS = {
  agent: { needs: [] },
  ai: { needs: [] },
  page: { needs: [] },
  simulator: { needs: [] },
  wire: { needs: [] },
  "coding-agent/mcp-official": { needs: [...PROGRAM_AND_TOOLS, "MCP suites"] },
  "coding-agent/public-extensions": { needs: [...PROGRAM_AND_TOOLS, "public extensions"] },
  // Packs and installs the packages, once.
  install: { isWhole: true },
};
/** Test files that need the machine to themselves. They run last, one after another. */
const QUIET = new Set();

/**
 * @typedef {{
 *   name: string,
 *   runner: "bun" | "node" | "python",
 *   files: string[],
 *   needs: string[],
 *   python?: string,
 *   missing?: () => string | undefined,
 *   isWhole?: boolean,
 *   isQuiet?: boolean,
 * }} Group `needs` names jobs of scripts/test.mjs, `python` is the command, `missing` says what the machine lacks. An `isWhole`
 *   group is one process.
 */

/** Those whose path contains one of the words; all if there are none. */
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
  const quiet = files.filter((path) => QUIET.has(path));
  const packages = groupBy(
    files.filter((path) => !QUIET.has(path)),
    (path) => (path.startsWith("python/") ? "python" : path.split("/")[1]),
  );
  const groups = [...packages].flatMap(([name, own]) => {
    const runner = name === "node" || name === "python" ? name : "bun";
    if (runner !== "bun" || own.length <= MANY) return [group(name, runner, own)];
    const folders = groupBy(own, (path) => {
      const [, , , folder, ...rest] = path.split("/");
      return rest.length === 0 ? name : `${name}/${folder}`;
    });
    return [...folders].map(([folder, some]) => group(folder, runner, some));
  });
  if (quiet.length > 0) groups.push({ ...group("quiet", "bun", quiet), isWhole: true, isQuiet: true });
  return groups;
}

function group(name, runner, files) {
  return { name, runner, files, needs: PROGRAM_AND_TOOLS, ...GROUPS[name] };
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
