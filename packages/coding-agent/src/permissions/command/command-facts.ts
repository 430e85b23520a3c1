import { lstatSync } from "node:fs";
import { basename, relative, resolve } from "node:path";
import { errorCode, isMissing } from "@pintle/foundation";
import type { CommandReading, RequestCommand, RequestPath } from "../request.ts";
import { namedPaths, searchedDirectories } from "./named-paths.ts";
import { readCommand, type StaticCommand, type StaticProgram } from "./read-command.ts";
import { readOnlyWords } from "./read-only.ts";
import { realPathOf } from "./real-path.ts";
import { changesOptions, ownPrograms, redefinesNames } from "./shell-environment.ts";

export interface CommandPlace {
  /** The session's directory. A rule that allows a command applies in this directory only. */
  project: string;
  /** Where the command starts. */
  cwd: string;
  /** Whether a path, with links resolved, is inside the workspace. */
  isInside(real: string): boolean;
  /** Whether a directory, by its real path, contains keys that no tool may read. */
  containsKeys(real: string): boolean;
  /** True if the call sets environment variables, which may change what every name means. */
  hasOwnEnvironment: boolean;
  /** True if it runs in a full-strength sandbox. */
  isConfined: boolean;
  /** The configured shell; undefined for bash or sh from PATH. */
  shellPath?: string | undefined;
}

export interface CommandFacts {
  command: RequestCommand;
  /** The files that the shell opens for it, and those that its read-only programs read. */
  paths: RequestPath[];
  /** The parsed command; undefined if it is opaque. */
  reading?: CommandReading;
}

/** Returns what is certain about a command before it runs. */
export function commandFacts(text: string, place: CommandPlace): CommandFacts {
  const opaque: CommandFacts = { command: { text, programs: "opaque" }, paths: [] };
  const reading = place.hasOwnEnvironment || !isKnownShell(place.shellPath) ? undefined : readCommand(text);
  if (!reading || redefinesNames(namesOf(reading), place.isInside)) return opaque;
  const directories = possibleDirectories(reading, place);
  // A directory or file outside is opaque, because patterns for programs do not cover it.
  if (!directories?.every(place.isInside)) return opaque;
  const redirected = redirectedPaths(reading, directories);
  if (!redirected || redirected.some(({ real, access }) => access === "write" && !place.isInside(real))) return opaque;
  const opensOnlyInside = redirected.every(({ access, real }) => access === "read" && place.isInside(real));
  const isOwn = ownPrograms(place.isInside);
  const read = reading.programs.map((program) =>
    opensOnlyInside ? filesRead(program, directories, place, isOwn) : undefined,
  );
  // A `cd` is harmless by itself, but it changes what the programs after it do: `npm test` runs other tests.
  const isHarmlessElsewhere = read.every((paths) => paths !== undefined);
  const isElsewhere = directories.some((directory) => directory !== realPathOf(place.project));
  const isReadOnly = reading.programs.map(
    ({ argv }, index) => read[index] !== undefined && (argv[0] !== "cd" || !isElsewhere || isHarmlessElsewhere),
  );
  const start = startingChange(place);
  return {
    command: { text, programs: [...start, ...reading.programs.map(({ argv }) => argv)] },
    // Includes files that are only read, so that rules for paths apply to understood commands.
    paths: [...redirected, ...read.flatMap((paths) => paths ?? [])],
    reading: {
      readOnlyPrograms: [...start.map(() => isHarmlessElsewhere), ...isReadOnly],
      patternPrograms: [...start.map(() => false), ...reading.programs.map(({ hasPattern }) => hasPattern)],
      script: reading.script,
      namedPaths: once(() => namedPaths(reading.programs, directories)),
      searchedDirectories: once(() => searchedDirectories(reading.programs, directories)),
    },
  };
}

/** A command that starts in another directory is judged as if it began with a `cd`, so that rules see where it runs. */
function startingChange({ project, cwd }: CommandPlace): string[][] {
  const from = realPathOf(project);
  const to = realPathOf(cwd);
  if (from === to) return [];
  return [["cd", from === undefined || to === undefined ? resolve(cwd) : relative(from, to)]];
}

/** Computes the value on first use, because most commands match no rule for files and need no lookup. */
function once<T>(compute: () => T): () => T {
  let result: { value: T } | undefined;
  return () => {
    result ??= { value: compute() };
    return result.value;
  };
}

/** Returns whether the shell is bash or sh. Other shells parse the same text differently. */
function isKnownShell(shellPath: string | undefined): boolean {
  return !shellPath || /^(?:ba)?sh(?:\.exe)?$/.test(basename(shellPath));
}

const namesOf = ({ programs }: StaticCommand): string[] => programs.map(({ argv }) => argv[0] ?? "");

/** Their number doubles with each `cd` that may or may not succeed. */
const MAX_DIRECTORIES = 8;

/** Returns where the parts of a command may run: the first directory, and those that `cd` may lead to from any of them. */
function possibleDirectories({ programs }: StaticCommand, place: CommandPlace): string[] | undefined {
  const start = realPathOf(place.cwd);
  if (start === undefined) return undefined;
  const found = new Set([start]);
  for (const { argv, hasPattern } of programs) {
    const [name, target, ...more] = argv;
    if (name !== "cd") continue;
    // Without an argument it leads home, with `-` back.
    if (target === undefined || more.length > 0 || target === "" || target.startsWith("-") || hasPattern)
      return undefined;
    if (isSearched(target) || climbs(target)) return undefined;
    // The shell resolves `..` by name, not as the directory above a link's target.
    if (target.split("/").includes("..") && start !== resolve(place.cwd)) return undefined;
    for (const directory of [...found]) {
      const reached = resolve(directory, target);
      if (realPathOf(reached) !== reached) return undefined;
      found.add(reached);
    }
    if (found.size > MAX_DIRECTORIES) return undefined;
  }
  return [...found];
}

/** Returns whether the shell looks for a name in CDPATH first. */
function isSearched(target: string): boolean {
  return Boolean(process.env.CDPATH) && !/^(?:\/|\.{1,2}(?:\/|$))/.test(target);
}

/** Files that store nothing and contain nothing. */
const NO_FILES = new Set(["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin"]);

function redirectedPaths({ redirections }: StaticCommand, directories: readonly string[]): RequestPath[] | undefined {
  const paths: RequestPath[] = [];
  for (const { path, access } of redirections) {
    if (NO_FILES.has(path)) continue;
    if (climbs(path) || path.startsWith("/dev/")) return undefined; // `/dev/tcp/…` is a connection
    for (const directory of directories) {
      const absolute = resolve(directory, path);
      const real = realPathOf(absolute);
      if (real === undefined) return undefined;
      paths.push({ path: absolute, real, access });
    }
  }
  return paths;
}

/** Returns the files that a program reads if it is known to do nothing else and all of them are inside. */
function filesRead(
  { argv, hasPattern }: StaticProgram,
  directories: readonly string[],
  { isInside, containsKeys, isConfined }: CommandPlace,
  isOwn: (name: string) => boolean,
): RequestPath[] | undefined {
  const [name = ""] = argv;
  if (name === "cd") return [];
  if (hasPattern) return undefined; // the expanded names are unknown and may be links
  const words = readOnlyWords(argv, isConfined);
  if (!words || changesOptions() || !isOwn(name)) return undefined;
  if (words.options.some((option) => directories.some((directory) => isFile(directory, option)))) return undefined;
  // A sandbox of full strength hides keys from a search.
  if (!isConfined && searchedDirectories([{ argv, hasPattern }], directories).some(containsKeys)) return undefined;
  const paths = words.operands.flatMap((operand) => insidePaths(operand, directories, isInside));
  return paths.every((path) => path !== undefined) ? paths : undefined;
}

/** Returns whether a word names a file. An option that does may be read as that file. */
function isFile(directory: string, word: string): boolean {
  try {
    lstatSync(resolve(directory, word));
    return true;
  } catch (error) {
    return !isMissing(error) && errorCode(error) !== "ENAMETOOLONG";
  }
}

/** Resolves a word that may name a file from each directory. Returns undefined if that is outside or uncertain. */
function insidePaths(
  operand: string,
  directories: readonly string[],
  isInside: CommandPlace["isInside"],
): (RequestPath | undefined)[] {
  if (operand === "" || operand === "-") return [];
  return directories.map((directory) => {
    const path = resolve(directory, operand);
    const real = climbs(operand) ? undefined : realPathOf(path);
    return real !== undefined && isInside(real) ? { path, real, access: "read" } : undefined;
  });
}

/** `link/..` is the directory above the link's target, not above the link: only the system knows. */
function climbs(path: string): boolean {
  return /(?:^|\/)(?!\.{1,2}(?:\/|$))[^/]+\/(?:[^/]+\/)*\.\.(?:\/|$)/.test(path);
}
