import type { ToolAccess } from "../define-tool.ts";
import { pathOf, searchedRoot } from "../shared/access.ts";

// Every start loads this file with the declarations, so keep it small.

type Arguments = Record<string, unknown>;

/** The files that a call names. */
export interface ScopeArguments {
  path?: string;
  glob?: string;
  lang?: string;
  sel?: string;
}

/** Accepts `paths: [...]` for `path: "a, b"`. */
export function joinPaths({ paths, ...rest }: Arguments): Arguments {
  if (!Array.isArray(paths) || rest.path !== undefined) return paths === undefined ? rest : { ...rest, paths };
  return { ...rest, path: paths.map((path) => (String(path).includes('"') ? `'${path}'` : `"${path}"`)).join(",") };
}

/** Accepts a single value in place of a list. Validation handles lists sent as JSON. */
export function wrapSingle(args: Arguments, name: string): Arguments {
  const value = args[name];
  const isSingle = typeof value === "string" ? !isListAsText(value) : value !== null && typeof value === "object";
  return isSingle && !Array.isArray(value) ? { ...args, [name]: [value] } : args;
}

function isListAsText(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.every((item) => typeof item === "string" || typeof item === "object");
  } catch {
    return false;
  }
}

/** Rounds a number down, because models send fractions. Throws if it is too small. */
export function wholeNumber(value: number | undefined, { field, least }: { field: string; least: number }) {
  if (value === undefined) return undefined;
  const whole = Math.floor(value);
  if (Number.isFinite(whole) && whole >= least) return whole;
  throw new Error(`${field} must be a number of at least ${least}`);
}

const ITEM = /\s*(?:"([^"]*)"|'([^']*)'|([^,]*))\s*(?:,|$)/y;

/** Parses `a, "b c.ts", 'd,e'`: names separated by commas, quoted if they contain commas or outer spaces. */
export function splitPathList(list: string): string[] {
  const names: string[] = [];
  ITEM.lastIndex = 0;
  while (ITEM.lastIndex < list.length) {
    const match = ITEM.exec(list);
    if (!match) return [list.trim()]; // quotes inside a name: the whole string is one name
    names.push((match[1] ?? match[2] ?? match[3] ?? "").trim());
  }
  return names.filter((name) => name !== "");
}

/** The access of a tool that reads below each of the named paths. */
export const READS_PATH_LIST: ToolAccess = {
  kind: "read",
  paths: (args) => splitPathList(pathOf(args)).map(searchedRoot),
};
