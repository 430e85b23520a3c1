// Runs one group of test files in one process. Every outcome of that process is a result.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findBun } from "../bun.mjs";
import { runChild } from "../child.mjs";
import { withoutAssertion } from "./assertions.mjs";
import { createTestOutput } from "./test-output.mjs";

/** For hangs, not for a slow machine. */
const TEST_MS = 120_000;
/** Far beyond the limit of a single test: only a stuck runner is silent for that long. */
const SILENCE_MS = 300_000;
const PYTHON_RUNNER = fileURLToPath(new URL("python-runner.py", import.meta.url));
const REPORTER = new URL("node-reporter.mjs", import.meta.url).href;

/**
 * @param {import("./test-files.mjs").Group} group
 * @param {{ onProgress?: (output: ReturnType<typeof createTestOutput>) => void, onFailure?: (failure: object) => void, silenceMs?: number }} options
 */
export async function runTests(group, { onProgress = () => {}, onFailure, silenceMs = SILENCE_MS } = {}) {
  const output = createTestOutput({ onFailure });
  const scratch = mkdtempSync(join(tmpdir(), "pintle-tests-"));
  const report = join(scratch, "report.xml");
  // Node's runner uses another output format under a parent runner.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const fileTimes = createFileTimes();
  const ended = await runChild(...runner(group, report), {
    env,
    silenceMs,
    onLine(line, from) {
      output.line(line, from);
      fileTimes.at(output.isOver() ? "" : output.file());
      onProgress(output);
    },
  });
  const counts = output.counts();
  const failures = [...output.failures];
  // The runner died, or failed for a reason other than its tests: its last output is all there is.
  if (!output.isOver() || (!ended.ok && counts.failed === 0)) {
    counts.failed += 1;
    failures.push({ file: output.file(), name: `the test runner ${ended.ending}`, text: ended.tail });
  } else if (counts.failed > failures.length) {
    failures.push({
      file: "",
      name: `${counts.failed - failures.length} failures without a message`,
      text: ended.tail,
    });
  }
  // There is none if no file could be loaded, and none from Node.
  if (existsSync(report)) {
    const empty = withoutAssertion(readFileSync(report, "utf8"));
    counts.passed -= empty.length;
    counts.failed += empty.length;
    failures.push(...empty);
  }
  rmSync(scratch, { recursive: true, force: true });
  return { counts, failures, skipped: output.skipped, seconds: ended.seconds, fileSeconds: fileTimes.seconds() };
}

/** How long the runner spent in each file. */
function createFileTimes() {
  const seconds = {};
  let file = "";
  let since = performance.now();
  return {
    at(next) {
      if (next === file) return;
      const now = performance.now();
      if (file !== "") seconds[file] = (seconds[file] ?? 0) + (now - since) / 1_000;
      file = next;
      since = now;
    },
    seconds: () => seconds,
  };
}

/** @returns {[command: string, args: string[]]} */
function runner({ runner: kind, python = "python3", files }, report) {
  // Nothing is compiled into the tree, and warnings of asyncio and unclosed files are shown.
  if (kind === "python") return [python, ["-B", "-X", "dev", PYTHON_RUNNER, ...files]];
  if (kind === "node") {
    const reporter = [`--test-reporter=${REPORTER}`, "--test-reporter-destination=stderr"];
    return [process.execPath, ["--test", "--test-concurrency=1", ...reporter, ...files]];
  }
  const paths = files.map((file) => (file.startsWith("/") ? file : `./${file}`));
  const reporter = ["--reporter=junit", `--reporter-outfile=${report}`];
  return [findBun(), ["test", "--timeout", String(TEST_MS), ...reporter, ...paths]];
}
