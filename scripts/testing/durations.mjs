// How long test files take, in seconds, so that a fresh clone knows which to start first and which to run in parallel.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const FILE = fileURLToPath(new URL("durations.json", import.meta.url));
/** Shorter ones are not recorded. */
const LEAST_SECONDS = 1;

/** @returns {Record<string, number>} */
export function readDurations() {
  return JSON.parse(readFileSync(FILE, "utf8"));
}

/** Stores measured durations; files that did not run keep theirs, and deleted files lose theirs. */
export function writeDurations(measured, testFiles) {
  writeFileSync(FILE, `${JSON.stringify(updateDurations(readDurations(), measured, testFiles), null, 2)}\n`);
}

export function updateDurations(before, measured, testFiles) {
  const seconds = { ...before, ...measured };
  return Object.fromEntries(
    testFiles
      .filter((file) => seconds[file] >= LEAST_SECONDS)
      .sort()
      .map((file) => [file, Math.round(seconds[file])]),
  );
}
