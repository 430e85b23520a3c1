// The command line of `npm test`.
import { parseArgs } from "node:util";

export const HELP = `npm test [-- OPTIONS] [WORD…]

Runs every check: format and lint, types, dead code, the build, and all tests. With words, only test files whose path contains
one of them (all other checks still run).

  --changed        only test files that the changes since main can affect, and all other checks
  --base COMMIT    what --changed compares with (default: where this branch left main, or HEAD on main)
  --jobs N         at most N jobs at once (default: by the number of processors)
  --record         store how long each test file takes in scripts/testing/durations.json; implies --jobs 1
  --list           print the test files that would run, and run nothing
  --help           print this
`;

/**
 * Throws for an unknown option or a bad value.
 * @param {string[]} argv
 */
export function parseOptions(argv) {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      changed: { type: "boolean", default: false },
      base: { type: "string" },
      jobs: { type: "string" },
      record: { type: "boolean", default: false },
      list: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.base !== undefined && !values.changed) throw new Error("--base needs --changed");
  if (values.jobs !== undefined && !/^[1-9]\d*$/.test(values.jobs))
    throw new Error(`--jobs needs a number of at least 1, not ${JSON.stringify(values.jobs)}`);
  const jobs = values.jobs === undefined ? undefined : Number(values.jobs);
  return { ...values, jobs: values.record ? 1 : jobs, words: positionals };
}
