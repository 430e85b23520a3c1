/**
 * What pi, omp, xcsh and their scripts call a tool, in small letters, and which tool that is here. Undefined: there is none, but
 * a list that names it is no mistake.
 */
const FAMILY_NAMES: Readonly<Record<string, string | undefined>> = {
  glob: "find",
  search: "grep",
  todo: "todo_write",
  todowrite: "todo_write",
  list: "ls",

  browser: undefined,
  calc: undefined,
  checkpoint: undefined,
  debug: undefined,
  eval: undefined,
  fetch: undefined,
  github: undefined,
  hub: undefined,
  lsp: undefined,
  notebook: undefined,
  python: undefined,
  rewind: undefined,
  ssh: undefined,
  task: undefined,
  web_search: undefined,
};

/** The names that a tool may have here when a list or a rule calls it so: as written (an extension may have it), or ours. */
export function namesMeant(written: string): string[] {
  const lower = written.toLowerCase();
  const own = Object.hasOwn(FAMILY_NAMES, lower) ? FAMILY_NAMES[lower] : lower;
  return own === undefined || own === written ? [written] : [written, own];
}

/** Known to the family, whether or not there is such a tool here. */
export function isFamilyName(written: string): boolean {
  return Object.hasOwn(FAMILY_NAMES, written.toLowerCase());
}
