import { resolve } from "node:path";
import { canonicalPath } from "../../files/canonical-path.ts";
import { expandHome } from "../../files/expand-home.ts";
import { isSystemError } from "../../files/system-error.ts";
import type { RequestCommand, RequestPath } from "../request.ts";
import { readCommand, type StaticCommand } from "./read-command.ts";
import { readOnlyOperands } from "./read-only.ts";

export interface CommandPlace {
  /** Where the command starts. */
  cwd: string;
  /** By the real path. */
  isInside(real: string): boolean;
  /** Variables are set for it: they may change what every name means. */
  hasOwnEnvironment: boolean;
  /** It runs in a sandbox of full strength. */
  isConfined: boolean;
}

export interface CommandFacts {
  command: RequestCommand;
  /** The files that the shell opens for it. */
  paths: RequestPath[];
  isReadOnly: boolean;
}

/** What is certain of a command before it runs. */
export function commandFacts(text: string, place: CommandPlace): CommandFacts {
  const opaque: CommandFacts = { command: { text, programs: "opaque" }, paths: [], isReadOnly: false };
  const reading = place.hasOwnEnvironment ? undefined : readCommand(text);
  const places = reading && possibleDirectories(reading, place);
  // A directory or a file elsewhere: as uncertain as anything else that a pattern for programs does not speak of.
  if (!reading || !places?.every(place.isInside)) return opaque;
  const redirected = redirectedPaths(reading, places);
  if (!redirected || redirected.some(({ real, access }) => access === "write" && !place.isInside(real))) return opaque;
  const operands = lookedAt(reading, places, place);
  const isReadOnly =
    operands !== undefined && redirected.every(({ access, real }) => access === "read" && place.isInside(real));
  return {
    command: { text, programs: reading.programs },
    // What is only looked at is told as well, so that rules for paths hold for commands that are understood.
    paths: isReadOnly ? [...redirected, ...operands] : redirected,
    isReadOnly,
  };
}

/** Their number doubles with each `cd` that may or may not succeed. */
const MAX_DIRECTORIES = 8;

/** Where the parts of a command may run, real paths: the first directory, and those that `cd` may lead to from any of them. */
function possibleDirectories({ programs }: StaticCommand, place: CommandPlace): string[] | undefined {
  const start = realPath(place.cwd);
  if (start === undefined) return undefined;
  const found = new Set([start]);
  for (const [name, target, ...more] of programs) {
    if (name !== "cd") continue;
    // Without an argument it leads home, with `-` back.
    if (target === undefined || more.length > 0 || target.startsWith("-")) return undefined;
    if (isSearched(target) || climbs(target)) return undefined;
    for (const directory of [...found]) {
      const reached = realPath(resolve(directory, expandHome(target)));
      if (reached === undefined) return undefined;
      found.add(reached);
    }
    if (found.size > MAX_DIRECTORIES) return undefined;
  }
  return [...found];
}

/** The shell looks for plain names in other places first, if the user has named any. */
function isSearched(target: string): boolean {
  return Boolean(process.env.CDPATH) && !/^(?:~?\/|\.{1,2}(?:\/|$))/.test(target);
}

/** Files that take nothing and give nothing. */
const NO_FILES = new Set(["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin"]);

function redirectedPaths({ redirections }: StaticCommand, directories: readonly string[]): RequestPath[] | undefined {
  const paths: RequestPath[] = [];
  for (const { path, access } of redirections) {
    if (NO_FILES.has(path)) continue;
    if (climbs(path) || path.startsWith("/dev/")) return undefined; // `/dev/tcp/…` is a connection
    for (const directory of directories) {
      const absolute = resolve(directory, expandHome(path));
      const real = realPath(absolute);
      if (real === undefined) return undefined;
      paths.push({ path: absolute, real, access });
    }
  }
  return paths;
}

/** The files that programs look at, when they are known to do nothing else and all of it is inside. */
function lookedAt(
  reading: StaticCommand,
  directories: readonly string[],
  place: CommandPlace,
): RequestPath[] | undefined {
  const { programs, hasPatterns } = reading;
  if (hasPatterns) return undefined; // what a pattern becomes is not known, and may be links
  const found: RequestPath[] = [];
  for (const argv of programs) {
    const operands = argv[0] === "cd" ? [] : readOnlyOperands(argv, place.isConfined);
    if (!operands) return undefined;
    for (const path of operands.flatMap((operand) => insidePaths(operand, directories, place))) {
      if (!path) return undefined;
      found.push(path);
    }
  }
  return found;
}

/** Where a word that may name a file leads from each directory; undefined where that is not inside or not certain. */
function insidePaths(
  operand: string,
  directories: readonly string[],
  { isInside }: CommandPlace,
): (RequestPath | undefined)[] {
  if (operand === "" || operand === "-") return [];
  return directories.map((directory) => {
    const path = resolve(directory, expandHome(operand));
    const real = climbs(operand) ? undefined : realPath(path);
    return real !== undefined && isInside(real) ? { path, real, access: "read" } : undefined;
  });
}

/** `link/..` is the directory above the link's target, not above the link: only the system knows. */
function climbs(path: string): boolean {
  return /(?:^|\/)(?!\.{1,2}(?:\/|$))[^/]+\/(?:[^/]+\/)*\.\.(?:\/|$)/.test(path);
}

function realPath(path: string): string | undefined {
  try {
    return canonicalPath(path);
  } catch (error) {
    if (isSystemError(error)) return undefined;
    throw error;
  }
}
