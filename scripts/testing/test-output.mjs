// Reads what `bun test` prints, line by line: counts for the progress, and the text that belongs to each failure.
// scripts/testing/node-reporter.mjs makes Node print the same, and python-runner.py unittest.

const RESULT = /^\((pass|fail|skip|todo)\) (.*?)(?: \[[\d.]+ms\])?$/;
const FILE = /^(?:::group::)?(\S+\.test\.(?:ts|mjs)|\S+\.py):$/;
const SUM = /^ (\d+) (pass|fail|skip|todo)$/;
const END = /^Ran \d+ tests? across \d+ files?\./;
/** After many tests the runner names some of them again. */
const AGAIN = /^\d+ tests? (?:skipped|failed|todo|timed out)\b.*:$/;
const OUTSIDE = "# Unhandled error between tests";
const RULE = /^-{20,}$/;
/** Limits the output of a test that prints without end, so that it does not bury the others. */
const MOST_LINES = 500;
// biome-ignore lint/suspicious/noControlCharactersInRegex: colors are control sequences
const COLOURS = /\x1b\[[\d;]*m/g;

/** @typedef {{ file: string, name: string, text: string }} Failure */

export function createTestOutput({ onFailure = (_failure) => {} } = {}) {
  const seen = { pass: 0, fail: 0, skip: 0, todo: 0, error: 0 };
  /** The runner's own sums, which it prints last. */
  const sums = {};
  /** @type {Failure[]} */
  const failures = [];
  const skipped = [];
  let file = "";
  let files = 0;
  let lines = [];
  let isOutside = false;
  let isAgain = false;
  let isOver = false;

  function fail(name) {
    seen[name === undefined ? "error" : "fail"] += 1;
    const kept = lines.slice(-MOST_LINES);
    const cut = kept.length < lines.length ? "… (more lines before these)\n" : "";
    const failure = { file, name: name ?? "outside of all tests", text: cut + kept.join("\n").trim() };
    failures.push(failure);
    onFailure(failure);
  }

  function keep(line) {
    lines.push(line);
    if (lines.length > 2 * MOST_LINES) lines = lines.slice(-MOST_LINES - 1);
  }

  function read(line) {
    const [, kind, name] = RESULT.exec(line) ?? [];
    const [, header] = FILE.exec(line) ?? [];
    const [, sum, what] = SUM.exec(line) ?? [];
    if (sum) sums[what] = Number(sum);
    else if (END.test(line)) isOver = true;
    else if (isAgain) return;
    else if (AGAIN.test(line)) isAgain = true;
    else if (isOutside && RULE.test(line)) {
      // The text is between two rules.
      if (lines.length === 0) return;
      fail(undefined);
      isOutside = false;
    } else if (line === OUTSIDE) isOutside = true;
    else if (kind) {
      if (kind === "fail") fail(name);
      else seen[kind] += 1;
      if (kind === "skip" || kind === "todo") skipped.push({ file, name });
    } else if (header) {
      file = header;
      files += 1;
    } else if (line.startsWith("  ^ ") && lines.length === 0 && failures.length > 0) {
      // The reason why a test was stopped is printed below its name.
      const last = failures.at(-1);
      last.text = `${last.text}\n${line.slice(4)}`.trim();
      return;
    } else {
      if (line !== "" || lines.length > 0) keep(line);
      return;
    }
    lines = [];
  }

  return {
    failures,
    skipped,
    /** Results are on stderr. What tests print to stdout only explains failures. */
    line(text, from) {
      const line = text.replace(COLOURS, "").trimEnd();
      if (from === "stdout") keep(line);
      else read(line);
    },
    /** The counts so far; at the end, the runner's own sums. */
    counts() {
      const { pass, skip, todo } = isOver ? { ...seen, ...sums } : seen;
      // The runner counts some failures outside of tests, but not all.
      return { passed: pass, failed: Math.max(seen.fail + seen.error, sums.fail ?? 0), skipped: skip + todo };
    },
    /** Returns whether the runner has finished. Otherwise it died. */
    isOver: () => isOver,
    /** Returns the current file, and how many files have started. */
    file: () => file,
    files: () => files,
  };
}
