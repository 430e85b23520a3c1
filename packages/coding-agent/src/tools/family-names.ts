import { FAMILY_NAMES } from "./builtin-tools.ts";

/** Tools of pi, omp, xcsh that there are none of here; a list that names them is no mistake. */
const ELSEWHERE: ReadonlySet<string> = new Set([
  ...[
    "browser",
    "calc",
    "checkpoint",
    "debug",
    "eval",
    "fetch",
    "github",
    "hub",
    "lsp",
    "notebook",
    "python",
    "rewind",
  ],
  ...["ssh", "task", "web_search"],
]);

/** The names that a tool may have here when a list or a rule calls it so: as written (an extension may have it), or ours. */
export function namesMeant(written: string): string[] {
  const lower = written.toLowerCase();
  const own = FAMILY_NAMES.get(lower) ?? (ELSEWHERE.has(lower) ? written : lower);
  return own === written ? [written] : [written, own];
}

/** Known to the family, whether or not there is such a tool here. */
export function isFamilyName(written: string): boolean {
  const lower = written.toLowerCase();
  return FAMILY_NAMES.has(lower) || ELSEWHERE.has(lower);
}
