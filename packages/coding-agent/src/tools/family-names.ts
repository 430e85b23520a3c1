import { FAMILY_NAMES } from "./builtin-tools.ts";

/** Tools of pi, omp and xcsh that pintle lacks. Naming one in a list is not a mistake. */
const ELSEWHERE: ReadonlySet<string> = new Set([
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
  "ssh",
  "web_search",
]);

/** Returns the names that a name in a list or rule may refer to: as written (for extensions), or pintle's own. */
export function namesMeant(written: string): string[] {
  const lower = written.toLowerCase();
  const own = FAMILY_NAMES.get(lower) ?? (ELSEWHERE.has(lower) ? written : lower);
  return own === written ? [written] : [written, own];
}

/** Whether the name is a tool of pi, omp or xcsh, even if pintle has no such tool. */
export function isFamilyName(written: string): boolean {
  const lower = written.toLowerCase();
  return FAMILY_NAMES.has(lower) || ELSEWHERE.has(lower);
}
