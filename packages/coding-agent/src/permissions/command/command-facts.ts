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
  if (!reading || !places) return opaque;
  const paths = redirectedPaths(reading, places);
  // A file elsewhere: as uncertain as anything else that a pattern for programs does not speak of.
  if (!paths || paths.some(({ real, access }) => access === "write" && !place.isInside(real))) return opaque;
  const isReadOnly = paths.every(({ access }) => access === "read") && isHarmless(reading, places, place);
  return { command: { text, programs: reading.programs }, paths, isReadOnly };
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
    if (target === undefined || more.length > 0 || target.startsWith("-") || isSearched(target)) return undefined;
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
    for (const directory of directories) {
      const absolute = resolve(directory, expandHome(path));
      const real = realPath(absolute);
      if (real === undefined) return undefined;
      paths.push({ path: absolute, real, access });
    }
  }
  return paths;
}

/** What a pattern becomes is not known, and may be links. */
function isHarmless(reading: StaticCommand, directories: readonly string[], { isInside }: CommandPlace): boolean {
  const { programs, hasPatterns } = reading;
  if (hasPatterns || !directories.every(isInside)) return false;
  return programs.every((argv) => {
    const operands = argv[0] === "cd" ? [] : readOnlyOperands(argv);
    return operands?.every((operand) => directories.every((directory) => isInsideFrom(directory, operand, isInside)));
  });
}

/** A word that may name a file does so in no directory outside. An option that holds a path is not understood. */
function isInsideFrom(directory: string, operand: string, isInside: (real: string) => boolean): boolean {
  if (operand.startsWith("-")) return false;
  const real = realPath(resolve(directory, expandHome(operand)));
  return real !== undefined && isInside(real);
}

function realPath(path: string): string | undefined {
  try {
    return canonicalPath(path);
  } catch (error) {
    if (isSystemError(error)) return undefined;
    throw error;
  }
}
