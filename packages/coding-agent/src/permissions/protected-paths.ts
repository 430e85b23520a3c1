import { statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import {
  errorCode,
  isSystemError,
  namesBelow,
  pathNames,
  type StartUpVariables,
  startUpPaths,
} from "@pintle/foundation";
import { realPathOf } from "./command/real-path.ts";

// Files that tools never touch, unless a rule of the host or the user names exactly that file.

export interface ProtectedPlaces {
  home?: string;
  ownDirectory?: string;
  variables?: StartUpVariables;
}

/** Returns why no preset lets a tool touch a path, with links resolved. */
export function pathProtection(
  real: string,
  access: "read" | "write",
  { home = homedir(), ownDirectory, variables = process.env }: ProtectedPlaces = {},
): string | undefined {
  if (ownDirectory !== undefined && namesBelow(real, ownDirectory)?.[0] === "auth.json") return "keys are in auth.json";
  const names = pathNames(real);
  const isIn = (places: readonly Names[]) => places.some((place) => begins(names, place));
  if (isIn(keyPlaces(home))) return "the user's keys are in ~/.ssh";
  if (isProcessMemory(names)) return "it exposes the memory and environment of a process";
  if (access === "read") return undefined;
  // All internal files of a repository: configuration, hooks, and files that point git to other directories.
  if (names.includes(".git")) return "git runs its content";
  if (isIn(startUpPlaces(home, variables))) return "the shell runs its content";
  return undefined;
}

/** Whether a directory (real path) contains keys that no tool may read, because a search through it would print them. */
export function containsKeys(real: string, { home = homedir(), ownDirectory }: ProtectedPlaces = {}): boolean {
  const names = pathNames(real);
  const own = ownDirectory === undefined ? [] : [pathNames(join(ownDirectory, "auth.json"))];
  return [...keyPlaces(home), PROCESSES, ...own].some((place) => begins(place, names) || begins(names, place));
}

type Names = readonly string[];

/** Process files of pintle and its parents, whose environment contains keys. */
const PROCESSES: Names = ["proc"];
const PROCESS_MEMORY = new Set(["auxv", "environ", "fd", "map_files", "mem"]);

function isProcessMemory(names: Names): boolean {
  const [place, process = "", ...rest] = names;
  return place === PROCESSES[0] && /^\d+$/.test(process) && rest.some((name) => PROCESS_MEMORY.has(name));
}

const begins = (names: Names, place: Names): boolean => place.every((name, index) => name === names[index]);

/** Resolved names, cached until a directory in which one of them is or could be a link changes. */
interface RealPlaces {
  paths: readonly string[];
  parents: readonly string[];
  state?: string;
  names: readonly Names[];
}

const known = new Map<string, RealPlaces>();

/** Returns the protected names with links resolved: `.bashrc` or the home directory may be a link to another folder. */
function realPlaces(key: string, list: () => string[]): readonly Names[] {
  let places = known.get(key);
  if (!places) {
    const paths = list();
    places = { paths, parents: [...new Set(paths.map((path) => dirname(path)))], names: [] };
    known.set(key, places);
  }
  const state = places.parents.map(stateOf).join();
  if (places.state !== state) Object.assign(places, { state, names: leadsTo(places.paths) });
  return places.names;
}

const keyPlaces = (home: string): readonly Names[] => realPlaces(`keys ${home}`, () => [join(home, ".ssh")]);

function startUpPlaces(home: string, variables: StartUpVariables): readonly Names[] {
  const { ZDOTDIR, XDG_CONFIG_HOME, XDG_DATA_HOME } = variables;
  const key = `${home}\n${ZDOTDIR}\n${XDG_CONFIG_HOME}\n${XDG_DATA_HOME}`;
  return realPlaces(key, () => startUpPaths(home, variables).map(({ path }) => path));
}

/** Returns a directory's modification time, which changes when a link in it is created, removed or replaced. */
function stateOf(directory: string): string {
  try {
    const stats = statSync(directory, { bigint: true, throwIfNoEntry: false });
    return stats ? `${stats.dev} ${stats.ino} ${stats.ctimeNs}` : "";
  } catch (error) {
    if (isSystemError(error)) return errorCode(error) ?? "";
    throw error;
  }
}

/** The names under which a path is protected: as written, and with links resolved. */
function leadsTo(paths: readonly string[]): Names[] {
  return [...new Set(paths.flatMap((path) => [path, realPathOf(path) ?? path]))].map(pathNames);
}
