// Splits slow groups into parts that run in parallel, each in its own process.

/** The target duration of a part. Below it, starting processes costs more than an even load saves. */
const PART_SECONDS = 30;
/** For a test file without a recorded duration. Most take less. */
const UNKNOWN_SECONDS = 0.5;

/** Returns the expected duration of a file. */
export function expectedSeconds(durations, file) {
  return durations[file] ?? UNKNOWN_SECONDS;
}

/**
 * Returns the group's files in parts of about equal duration: the longest file first, each to the shortest part.
 * @param {import("./test-files.mjs").Group} group
 * @param {Record<string, number>} durations seconds by file
 * @returns {{ files: string[], seconds: number }[]}
 */
export function divide({ files, isWhole = false }, durations, partSeconds = PART_SECONDS) {
  const measured = files.map((file) => ({ file, seconds: expectedSeconds(durations, file) }));
  const total = measured.reduce((sum, { seconds }) => sum + seconds, 0);
  const count = isWhole ? 1 : Math.min(files.length, Math.max(1, Math.ceil(total / partSeconds)));
  const parts = Array.from({ length: count }, () => ({ files: [], seconds: 0 }));
  for (const { file, seconds } of measured.sort((a, b) => b.seconds - a.seconds)) {
    const shortest = parts.reduce((best, part) => (part.seconds < best.seconds ? part : best));
    shortest.files.push(file);
    shortest.seconds += seconds;
  }
  return parts.map((part) => ({ ...part, files: part.files.sort() }));
}

/** Merges the results of a group's parts. `seconds` is their sum. */
export function mergeResults(results) {
  const sum = (pick) => results.reduce((all, result) => all + pick(result), 0);
  return {
    counts: {
      passed: sum(({ counts }) => counts.passed),
      failed: sum(({ counts }) => counts.failed),
      skipped: sum(({ counts }) => counts.skipped),
    },
    failures: results.flatMap(({ failures }) => failures),
    skipped: results.flatMap(({ skipped }) => skipped),
    seconds: sum(({ seconds }) => seconds),
  };
}
