// All checks, in the order in which a mistake is cheapest to find. Ends with `N passed, N failed`.
import { join } from "node:path";
import { runChild } from "./child.mjs";
import { ensureBuilt, ensureInstalled } from "./ensure.mjs";
import { root } from "./paths.mjs";
import { startProgress } from "./progress.mjs";
import { ensureSystemTools, isInstalled } from "./system-tools.mjs";
import { ensureMcpSuites } from "./testing/mcp-suites.mjs";
import { pythonGroups } from "./testing/python.mjs";
import { createReport, describeCounts, label } from "./testing/report.mjs";
import { runTests } from "./testing/run-tests.mjs";
import { findTestFiles, groupTestFiles } from "./testing/test-files.mjs";

/** Where the moving line cannot move, it is repeated so often. */
const EVERY_MS = 30_000;

const report = createReport({ log: (line) => console.log(line) });
const words = process.argv.slice(2);

await ensureInstalled();
/** Of a package of npm. */
const bin = (name) => join(root, "node_modules", ".bin", name);
await check("format and lint", bin("biome"), ["ci", "--error-on-warnings", "."]);
await check("types", bin("tsc"), ["-p", "tsconfig.json"]);
await check("types of the pure packages", bin("tsc"), ["-p", "tsconfig.pure.json"]);
await check("dead code", bin("knip"), ["--no-progress"]);
await check("prose", process.execPath, ["scripts/prose.mjs"]);
await build();
await ensureSystemTools();
await ensureMcpSuites();
await check("types of Python (pyright)", bin("pyright"), ["--project", "python"]);
await checkWith("mypy", "types of Python (mypy)", ["--config-file", "python/mypy.ini"]);

const groups = groupTestFiles(findTestFiles(words)).flatMap(pythonGroups);
if (groups.length === 0) report.failure("tests", `No test file has ${words.join(" or ")} in its path.`);
for (const group of groups) await test(group);

process.exitCode = report.end() ? 0 : 1;

async function check(name, command, args) {
  const progress = startProgress(() => name, { stream: process.stdout, everyMs: EVERY_MS });
  const { ok, tail, ending, seconds } = await runChild(command, args).finally(() => progress.end());
  report.check(name, { ok, seconds, text: `${tail}\n${ending}` });
}

/** With a tool that npm does not have: without it a loud skip, and with CI=true a failure. */
async function checkWith(tool, name, args) {
  if (isInstalled(tool)) return check(name, tool, args);
  report.skip(name, `${tool} is not installed`);
}

async function build() {
  const startedAt = performance.now();
  const error = await ensureBuilt().then(
    () => undefined,
    (reason) => reason,
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  report.check("build", { ok: error === undefined, seconds, text: error?.message });
}

async function test(group) {
  if (group.missing !== undefined) return report.skip(group.name, group.missing);
  let state = "starting";
  const progress = startProgress(() => `${group.name}: ${state}`, { stream: process.stdout, everyMs: EVERY_MS });
  const result = await runTests(group, {
    onProgress: (output) =>
      (state = `file ${output.files()} of ${group.files.length}, ${describeCounts(output.counts())}`),
    onFailure: (failure) => progress.say(`  FAILED ${label(failure)}`),
  }).finally(() => progress.end());
  report.tests(group.name, result);
}
