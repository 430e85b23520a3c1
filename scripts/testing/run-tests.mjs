// One group of test files in one process. Whatever happens to that process, what it says is a result.
import { findBun } from "../bun.mjs";
import { runChild } from "../child.mjs";
import { createTestOutput } from "./test-output.mjs";

/** Far beyond the limit of a single test: only a runner that is stuck is silent for so long. */
const SILENCE_MS = 300_000;
const REPORTER = new URL("node-reporter.mjs", import.meta.url).href;

/**
 * @param {import("./test-files.mjs").Group} group
 * @param {{ onProgress?: (output: ReturnType<typeof createTestOutput>) => void, onFailure?: (failure: object) => void, silenceMs?: number }} options
 */
export async function runTests({ isNode, files }, { onProgress = () => {}, onFailure, silenceMs = SILENCE_MS } = {}) {
  const output = createTestOutput({ onFailure });
  const [command, args] = isNode
    ? [process.execPath, ["--test", `--test-reporter=${REPORTER}`, "--test-reporter-destination=stderr", ...files]]
    : [findBun(), ["test", "--timeout", "60000", ...files.map((file) => (file.startsWith("/") ? file : `./${file}`))]];
  // Node's runner speaks another language to a runner above it.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const ended = await runChild(command, args, {
    env,
    silenceMs,
    onLine(line, from) {
      output.line(line, from);
      onProgress(output);
    },
  });
  const counts = output.counts();
  const failures = [...output.failures];
  // A runner that died, or failed for a reason that is none of its tests: its last words are all there is.
  if (!output.isOver() || (!ended.ok && counts.failed === 0)) {
    counts.failed += 1;
    failures.push({ file: output.file(), name: `the test runner ${ended.ending}`, text: ended.tail });
  } else if (counts.failed > failures.length) {
    failures.push({ file: "", name: `${counts.failed - failures.length} failures without a text`, text: ended.tail });
  }
  return { counts, failures, skipped: output.skipped, seconds: ended.seconds };
}
