// Runs the test files with one of the words in their path, without the static checks, and prints the results as JSON in the last
// line. For `places.mjs`, which starts it in a clone.
import { ensureBuilt } from "../ensure.mjs";
import { pythonGroups } from "./python.mjs";
import { runTests } from "./run-tests.mjs";
import { skipReason } from "./skips.mjs";
import { findTestFiles, groupTestFiles } from "./test-files.mjs";

await ensureBuilt();
const counts = { passed: 0, failed: 0, skipped: 0 };
const failures = [];
const reasons = new Map();
for (const group of groupTestFiles(findTestFiles(process.argv.slice(2))).flatMap(pythonGroups)) {
  const missing = group.missing?.();
  if (missing !== undefined) {
    skip(missing);
    counts.skipped += 1;
    continue;
  }
  const result = await runTests(group);
  for (const kind of Object.keys(counts)) counts[kind] += result.counts[kind];
  failures.push(...result.failures);
  for (const { name } of result.skipped) skip(skipReason(name) ?? name);
}
if (counts.passed + counts.failed + counts.skipped === 0) {
  counts.failed = 1;
  failures.push({
    file: "",
    name: "tests",
    text: `No test file has ${process.argv.slice(2).join(" or ")} in its path.`,
  });
}
console.log(`\n${JSON.stringify({ counts, failures, skipped: [...reasons] })}`);

function skip(reason) {
  reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
}
