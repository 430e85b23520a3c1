import { type Stats, statSync } from "node:fs";
import { canonicalPath } from "../../files/canonical-path.ts";
import { isSystemError } from "../../files/system-error.ts";
import { globFilter } from "../search/glob-filter.ts";
import { displayPath, resolveToolPath } from "../shared/paths.ts";
import { splitPathList } from "./path-list.ts";

/** Where to look. Links are resolved, so that nothing is found twice. */
export interface Scope {
  /** For display, and what relative globs are about. */
  cwd: string;
  roots: readonly string[];
  /** As the caller would name it. */
  shown: string;
  /** Set when it is exactly one file. */
  onlyFile?: string;
  /** Whether to look into `node_modules`, because the caller named it. */
  includesNodeModules: boolean;
  /** Whether a file below the roots is meant. */
  includes(path: string): boolean;
  /** Whether the caller named this very file. */
  isNamed(path: string): boolean;
  /** Whether the caller chose this file, by its name or by a glob, and did not just name a directory around it. */
  isChosen(path: string): boolean;
}

interface Target {
  root: string;
  isFile: boolean;
  matches?: (path: string) => boolean;
}

/** Throws `Path not found: …`. */
export function resolveScope(
  { path = ".", glob }: { path?: string | undefined; glob?: string | undefined },
  sessionCwd: string,
): Scope {
  const cwd = canonicalPath(sessionCwd);
  const names = exists(path, cwd) ? [path] : splitPathList(path);
  if (names.length === 0) throw new Error("The path is empty.");
  const targets = names.map((name) => resolveTarget(name, glob, cwd));
  const [first] = targets;
  const coveredBy = (file: string) => targets.filter((target) => covers(target, file));
  return {
    cwd,
    roots: [...new Set(targets.map(({ root }) => root))],
    shown: names
      .map((name, index) => (isGlob(name, cwd) ? name : displayPath(targets[index]?.root ?? cwd, cwd)))
      .join(", "),
    ...(targets.length === 1 && first?.isFile && { onlyFile: first.root }),
    includesNodeModules: [...names, glob ?? ""].some((text) => text.includes("node_modules")),
    includes: (file) => coveredBy(file).length > 0,
    isNamed: (file) => coveredBy(file).some(({ isFile }) => isFile),
    isChosen: (file) => coveredBy(file).some(({ isFile, matches }) => isFile || matches !== undefined),
  };
}

function resolveTarget(name: string, glob: string | undefined, cwd: string): Target {
  const [base, pattern] = isGlob(name, cwd) ? splitGlob(name) : [name, undefined];
  const absolute = resolveToolPath(base, cwd);
  const info = infoOf(absolute);
  if (!info) throw new Error(`Path not found: ${displayPath(resolveToolPath(name, cwd), cwd)}`);
  const root = canonicalPath(absolute);
  const filters = [
    ...(pattern === undefined ? [] : [wholePath(pattern, root)]),
    ...(glob === undefined ? [] : [globFilter(glob, { root, cwd })]),
  ];
  const matches = filters.length > 0 ? (path: string) => filters.every((filter) => filter(path)) : undefined;
  return { root, isFile: info.isFile(), ...(matches && { matches }) };
}

function covers({ root, matches }: Target, file: string): boolean {
  const isInside = file === root || file.startsWith(root === "/" ? root : `${root}/`);
  return isInside && (matches?.(file) ?? true);
}

/** A glob in a path is about the whole path, unlike one that filters. */
function wholePath(pattern: string, root: string): (path: string) => boolean {
  const matcher = new Bun.Glob(pattern);
  const prefix = root === "/" ? root : `${root}/`;
  return (path) => path.startsWith(prefix) && matcher.match(path.slice(prefix.length));
}

function isGlob(name: string, cwd: string): boolean {
  return /[*?[{]/.test(name) && !exists(name, cwd);
}

/** The directories before the first name with a wildcard, and the rest. */
function splitGlob(glob: string): [base: string, pattern: string] {
  const names = glob.split("/");
  const first = names.findIndex((name) => /[*?[{]/.test(name));
  const base = names.slice(0, first).join("/");
  return [base === "" ? (glob.startsWith("/") ? "/" : ".") : base, names.slice(first).join("/")];
}

function exists(name: string, cwd: string): boolean {
  return infoOf(resolveToolPath(name, cwd)) !== undefined;
}

/** undefined: nothing that can be looked into. A list of many names, for one, is too long to be a name. */
function infoOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch (error) {
    if (isSystemError(error)) return undefined;
    throw error;
  }
}
