// Which test files a change can affect.
import { spawnSync } from "node:child_process";
import { dependentsOf, importGraph, repositoryAt } from "./import-graph.mjs";

/** What every test depends on. */
const EVERYTHING =
  /^(?:package-lock\.json|package\.json|bunfig\.toml|scripts\/(?:testing\/preload\.ts|build\.mjs|compile[\w-]*\.mjs))$/;
/** The inputs of dist/. */
const PROGRAM_SOURCE = /^packages\/[^/]+\/(?:src|bin)\/(.*)$/;
const PROGRAM = "dist";
/** Tests of the built program that run for every change of its sources: it starts, serves and answers. */
export const SMOKE = [
  "packages/coding-agent/test/start-up.test.ts",
  "packages/coding-agent/test/scenarios/rpc-start.test.ts",
  "packages/coding-agent/test/scenarios/tools.test.ts",
  "packages/gateway/test/scenarios/serve-program.test.ts",
];
/** Sources that the import graph does not reach, because a build step bundles them, and their tests. */
const BUNDLED = [["packages/page/", "packages/coding-agent/test/browser/"]];
/** File names that do not identify an area. */
const GENERAL = new Set(["index", "src", "test", "support", "scenario", "list", "state", "type", "run", "bin"]);

/**
 * Returns all files of the repository, and those that differ from where the branch left main, uncommitted and untracked ones included.
 * @param {string} root
 * @param {string | undefined} base a commit to compare with instead
 */
export function changedFiles(root, base) {
  const git = (...args) => {
    const { status, stdout, stderr, error } = spawnSync("git", args, { cwd: root, encoding: "utf8" });
    return { ok: status === 0, text: stdout?.trim() ?? "", problem: (stderr || error?.message || "").trim() };
  };
  const lines = (...args) => {
    const { ok, text, problem } = git("-c", "core.quotePath=false", ...args);
    if (!ok) throw new Error(`--changed needs git: ${problem}`);
    return text === "" ? [] : text.split("\n");
  };
  const main = ["main", "origin/main"].find((name) => git("rev-parse", "--verify", "--quiet", `${name}^{commit}`).ok);
  const from = base ?? (main === undefined ? "HEAD" : lines("merge-base", main, "HEAD")[0]);
  const untracked = ["ls-files", "--others", "--exclude-standard"];
  const deleted = new Set(lines("ls-files", "--deleted"));
  return {
    changed: [...lines("diff", "--name-only", "--no-renames", from, "--"), ...lines(...untracked)],
    files: [...lines("ls-files"), ...lines(...untracked)].filter((file) => !deleted.has(file)),
  };
}

/** Reads the repository and returns those of `testFiles` that the changes can affect. */
export function affectedTests(root, testFiles, base) {
  const { changed, files } = changedFiles(root, base);
  return { changed, tests: selectTests(changed, testFiles, importGraph(repositoryAt(root, files))) };
}

/**
 * A test is affected if it reaches a changed file by imports or by a path that it spells out. A test of the built
 * program reaches all of its sources: of these, only tests run that have the name of the source's folder or file in
 * their path.
 * @param {string[]} changed
 * @param {string[]} testFiles
 * @param {Map<string, Set<string>>} graph
 */
export function selectTests(changed, testFiles, graph) {
  if (changed.some((file) => EVERYTHING.test(file))) return testFiles;
  const reached = dependentsOf(graph, changed);
  const areas = new Set(changed.flatMap(areasOf));
  const usesProgram = dependentsOf(graph, [PROGRAM]);
  const isSource = changed.some((file) => PROGRAM_SOURCE.test(file));
  const folders = BUNDLED.filter(([source]) => changed.some((file) => file.startsWith(source))).map(
    ([, tests]) => tests,
  );
  return testFiles.filter(
    (file) =>
      reached.has(file) ||
      folders.some((folder) => file.startsWith(folder)) ||
      (isSource && SMOKE.includes(file)) ||
      (usesProgram.has(file) && wordsOf(file).some((word) => areas.has(word))),
  );
}

/** The folders below `src` and the name of the file. */
function areasOf(file) {
  const [, path] = PROGRAM_SOURCE.exec(file) ?? [];
  if (path === undefined) return [];
  return path
    .replace(/\.\w+$/, "")
    .split("/")
    .map(singular)
    .filter((name) => !GENERAL.has(name));
}

/** Every name and every word in a test's path below `test`. */
function wordsOf(file) {
  const names = file
    .replace(/^.*?\btest\//, "")
    .replace(/\..*$/, "")
    .split("/");
  return names.flatMap((name) => [name, ...name.split(/[-_]/)]).map(singular);
}

function singular(name) {
  return name.replace(/s$/, "");
}
