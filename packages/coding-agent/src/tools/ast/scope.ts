import { type Stats, statSync } from "node:fs";
import { canonicalPath, isSystemError } from "@pintle/foundation";
import { globFilter } from "../search/globs.ts";
import { listFiles } from "../search/list-files.ts";
import type { SearchContext } from "../search/ripgrep-run.ts";
import { displayPath, resolveToolPath } from "../shared/paths.ts";
import { splitPathList } from "./arguments.ts";
import { isAbsent, type Language, type Languages, lacksPackage } from "./languages.ts";

/** Where to search, with links resolved so that no file is found twice. */
export interface Scope {
  /** The base for displayed paths and relative globs. */
  cwd: string;
  roots: readonly string[];
  /** The path as the caller would write it. */
  shown: string;
  /** Set if the scope is exactly one file. */
  onlyFile?: string;
  /** Whether to search `node_modules`, because the caller named it. */
  includesNodeModules: boolean;
  /** Whether a file below the roots is selected. */
  includes(path: string): boolean;
  /** Whether the caller named exactly this file. */
  isNamed(path: string): boolean;
  /** Whether the caller selected this file by name or glob, rather than through a directory. */
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

/** A glob in a path matches the whole path, unlike the `glob` argument. */
function wholePath(pattern: string, root: string): (path: string) => boolean {
  const matcher = new Bun.Glob(pattern);
  const prefix = root === "/" ? root : `${root}/`;
  return (path) => path.startsWith(prefix) && matcher.match(path.slice(prefix.length));
}

function isGlob(name: string, cwd: string): boolean {
  return /[*?[{]/.test(name) && !exists(name, cwd);
}

/** Splits a path into the directories before the first wildcard and the rest. */
function splitGlob(glob: string): [base: string, pattern: string] {
  const names = glob.split("/");
  const first = names.findIndex((name) => /[*?[{]/.test(name));
  const base = names.slice(0, first).join("/");
  return [base === "" ? (glob.startsWith("/") ? "/" : ".") : base, names.slice(first).join("/")];
}

function exists(name: string, cwd: string): boolean {
  return infoOf(resolveToolPath(name, cwd)) !== undefined;
}

/** Returns undefined if the path cannot be searched, for example because it is really a long list of names. */
function infoOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch (error) {
    if (isSystemError(error)) return undefined;
    throw error;
  }
}

export type { SearchContext };

export interface Candidate {
  path: string;
  language: Language;
}

interface Refused {
  path: string;
  reason: string;
}

export interface Candidates {
  candidates: Candidate[];
  /** Files that cannot be parsed: those that the caller selected, or all if no file can be parsed. */
  refused: Refused[];
  isCut: boolean;
}

const MAX_CANDIDATES = 50_000;

/** Returns the files of a scope whose language this build supports, in path order. */
export async function findCandidates(
  context: SearchContext,
  request: { scope: Scope; languages: Languages; language?: Language | undefined },
  signal: AbortSignal,
): Promise<Candidates> {
  const { scope, languages, language } = request;
  const { paths, isCut } = await listFiles(context, {
    roots: scope.roots,
    limit: MAX_CANDIDATES,
    signal,
    skipsNodeModules: !scope.includesNodeModules,
    accepts: (path) => {
      if (!scope.includes(path)) return false;
      if (!scope.isNamed(path) && context.approved?.hides("ast_grep", path)) return false;
      return languages.ofFile(path) !== undefined || (language ? scope.isChosen(path) : scope.isNamed(path));
    },
  });
  const candidates: Candidate[] = [];
  const lacking: Refused[] = [];
  for (const path of paths) {
    const chosen = chooseLanguage(path, request);
    if (typeof chosen === "string") lacking.push({ path, reason: chosen });
    else if (chosen) candidates.push({ path, language: chosen });
  }
  const isBarren = candidates.length === 0;
  return { candidates, refused: lacking.filter(({ path }) => isBarren || scope.isChosen(path)), isCut };
}

/** Returns why a file has no usable language, or undefined to skip it silently. */
function chooseLanguage(
  path: string,
  { scope, languages, language: forced }: { scope: Scope; languages: Languages; language?: Language | undefined },
): Language | string | undefined {
  const own = languages.ofFile(path);
  // Within a directory, a forced language applies only to files of related languages, not to notes or stylesheets.
  if (forced) return scope.isChosen(path) || own?.family === forced.family ? forced : undefined;
  if (!own) return "its name does not reveal the language; set lang";
  return isAbsent(own) ? lacksPackage(own) : own;
}
