// Runs all checks: static ones, the build and the tests, in parallel where possible. Ends with `N passed, N failed`.
import { existsSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { runChild, runOrThrow } from "./child.mjs";
import { ensureBuilt, ensureInstalled } from "./ensure.mjs";
import { root } from "./paths.mjs";
import { ensureSystemTools, isInstalled } from "./system-tools.mjs";
import { startBoard } from "./testing/board.mjs";
import { affectedTests } from "./testing/changed.mjs";
import { readDurations, writeDurations } from "./testing/durations.mjs";
import { ensureMcpSuites } from "./testing/mcp-suites.mjs";
import { HELP, parseOptions } from "./testing/options.mjs";
import { lastPassed } from "./testing/passed.mjs";
import { measureIdle, runPool } from "./testing/pool.mjs";
import { ensurePublicExtensions } from "./testing/public-extensions.mjs";
import { pythonGroups } from "./testing/python.mjs";
import { ensurePythonPackages } from "./testing/python-packages.mjs";
import { createReport, describeCounts, label } from "./testing/report.mjs";
import { runTests } from "./testing/run-tests.mjs";
import { divide, mergeResults } from "./testing/shards.mjs";
import { findTestFiles, groupTestFiles } from "./testing/test-files.mjs";
import { COMPILER_ENV, typescript } from "./typescript.mjs";

const CACHE = join(root, "node_modules", ".cache", "pintle-checks");

const options = readOptions();
if (options.help) {
  console.log(HELP);
  process.exit(0);
}
const { testFiles, changed } = chooseTestFiles();
if (options.list) {
  console.log(testFiles.join("\n"));
  process.exit(0);
}

const idleProcessors = measureIdle();
await ensureInstalled();
const durations = readDurations();
const measured = {};
/** Counts of the running test processes, and of those that have ended. */
const live = new Map();
const finished = [];
const jobs = [];
const board = startBoard({ total: () => jobs.length, summary: () => describeCounts(countSoFar()) });
const report = createReport({ log: (line) => board.say(line) });
let isBuilt = false;

const bin = (name) => join(root, "node_modules", ".bin", name);
const tests = groupTestFiles(testFiles).flatMap(pythonGroups).flatMap(testJobs);
jobs.push(
  { name: "build", seconds: 20, isUrgent: true, run: build },
  { name: "system tools", seconds: 60, isUrgent: true, run: installSystemTools },
  checkFormat(),
  checkTypes("types", 10, "tsconfig.json"),
  checkTypes("types of the pure packages", 2, "tsconfig.pure.json"),
  check("dead code", 10, bin("knip"), ["--no-progress"]),
  check("prose", 2, process.execPath, ["scripts/prose.mjs"]),
  unlessPassed(check("types of Python (pyright)", 10, bin("pyright"), ["--project", "python"]), [
    "python",
    "examples/python",
    "package-lock.json",
  ]),
  { ...checkWith("mypy", "types of Python (mypy)", 10, ["--config-file", "python/mypy.ini"]), needs: ["system tools"] },
  ...tests,
);
if (tests.some(({ needs }) => needs.includes("MCP suites")))
  jobs.push({ name: "MCP suites", seconds: 30, isUrgent: true, run: installMcpSuites });
if (tests.some(({ needs }) => needs.includes("public extensions")))
  jobs.push({ name: "public extensions", seconds: 40, isUrgent: true, run: installPublicExtensions });
if (testFiles.length === 0 && !options.changed)
  report.failure("tests", `No test file has ${options.words.join(" or ")} in its path.`);

const { jobs: slots } = options;
await runPool(
  jobs.map((job) => ({ ...job, run: () => board.show(job.name, job.run) })),
  slots === undefined ? {} : { slots, most: slots },
);
board.end();
if (options.record) writeDurations(measured, findTestFiles([]));
const isGood = report.end({ busyProcessors: cpus().length - idleProcessors() });
process.exitCode = isGood ? 0 : 1;

function readOptions() {
  try {
    return parseOptions(process.argv.slice(2));
  } catch (error) {
    console.error(`${error.message}\n\n${HELP}`);
    process.exit(2);
  }
}

function chooseTestFiles() {
  const files = findTestFiles(options.words);
  if (!options.changed) return { testFiles: files };
  const { changed, tests } = affectedTests(root, files, options.base);
  const count = (number, what) => `${number} ${what}${number === 1 ? "" : "s"}`;
  console.error(
    `${count(changed.length, "changed file")} can affect ${tests.length} of ${count(files.length, "test file")}`,
  );
  return { testFiles: tests, changed };
}

function check(name, seconds, command, args, options) {
  return {
    name,
    seconds,
    isUrgent: true,
    async run() {
      const ended = await runChild(command, args, options);
      report.check(name, { ok: ended.ok, seconds: ended.seconds, text: `${ended.tail}\n${ended.ending}` });
      return ended.ok;
    },
  };
}

/** With --changed, only the changed files, unless the rules have changed. */
function checkFormat() {
  const how = ["ci", "--error-on-warnings", "--colors=off", "--no-errors-on-unmatched", "--files-ignore-unknown=true"];
  const isPart = changed !== undefined && changed.length > 0 && !changed.includes("biome.json");
  const files = isPart ? changed.filter((file) => existsSync(join(root, file))) : ["."];
  return check("format and lint", 10, bin("biome"), [...how, ...files]);
}

/** Skips a check that has passed with the same inputs. */
function unlessPassed(job, inputs) {
  const run = async () => {
    const last = lastPassed(join(CACHE, `${job.name}.passed`), inputs);
    if (last.isCurrent) report.check(job.name, { ok: true, seconds: 0, result: "ok (unchanged)" });
    else if (await job.run()) last.keep();
  };
  return { ...job, run };
}

/** Checks what has changed since the last run, and what depends on it. */
function checkTypes(name, seconds, project) {
  const state = join(CACHE, `${project}.tsbuildinfo`);
  const [command, ...args] = typescript(["-p", project, "--incremental", "--tsBuildInfoFile", state]);
  return check(name, seconds, command, args, { env: { ...process.env, ...COMPILER_ENV } });
}

/** Needs a tool that npm does not provide: without it, skipped with a warning, and with CI=true a failure. */
function checkWith(tool, name, seconds, args) {
  const job = check(name, seconds, tool, args);
  return { ...job, run: async () => (isInstalled(tool) ? job.run() : report.skip(name, `${tool} is not installed`)) };
}

async function build() {
  const startedAt = performance.now();
  let text;
  try {
    await ensureBuilt(runOrThrow);
    isBuilt = true;
  } catch (error) {
    text = error.message;
  }
  report.check("build", { ok: isBuilt, seconds: (performance.now() - startedAt) / 1_000, text });
}

async function installSystemTools() {
  const out = { run: runOrThrow, log: (line) => board.say(line) };
  await ensureSystemTools(out);
  if (tests.some(({ name }) => name.startsWith("python"))) await ensurePythonPackages(out);
}

function installMcpSuites() {
  return ensureMcpSuites({ run: runOrThrow, log: (line) => board.say(line) });
}

function installPublicExtensions() {
  return ensurePublicExtensions({ run: runOrThrow, log: (line) => board.say(line) });
}

/** A group is one line of the report, split into processes according to its duration. */
function testJobs(group) {
  const parts = options.record ? [{ files: group.files, seconds: 0 }] : divide(group, durations);
  const results = [];
  return parts.map(({ files, seconds }, at) => {
    const name = parts.length === 1 ? group.name : `${group.name} ${at + 1}/${parts.length}`;
    const run = async (show) => {
      const missing = group.missing?.() ?? (group.needs.includes("build") && !isBuilt ? "the build failed" : undefined);
      if (missing !== undefined) {
        if (at === 0) report.skip(group.name, missing);
        return;
      }
      results.push(await runPart(name, { ...group, files }, show));
      if (results.length === parts.length) report.tests(group.name, mergeResults(results));
    };
    return { name, seconds, needs: group.needs, isQuiet: group.isQuiet, run };
  });
}

async function runPart(name, group, show) {
  const result = await runTests(group, {
    onProgress(output) {
      live.set(name, output.counts());
      show(`${output.files()} of ${group.files.length}`);
    },
    onFailure: (failure) => board.say(`  FAILED ${label(failure)}`),
  });
  live.delete(name);
  finished.push(result.counts);
  Object.assign(measured, result.fileSeconds);
  return result;
}

function countSoFar() {
  const sum = { passed: 0, failed: 0, skipped: 0 };
  for (const counts of [...finished, ...live.values()]) for (const kind of Object.keys(sum)) sum[kind] += counts[kind];
  return sum;
}
