import { lstatSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { errorCode, isSystemError } from "@pintle/foundation";
import { realPathOf } from "./real-path.ts";

type Environment = Readonly<Record<string, string | undefined>>;
type IsInside = (real: string) => boolean;

/**
 * Whether variables of the environment let files of the project, or a function, decide what a program's name means to the
 * shell. The user's own start-up files are trusted.
 */
export function redefinesNames(names: readonly string[], isInside: IsInside, env: Environment = process.env): boolean {
  const startUp = env.BASH_ENV;
  if (startUp && (!isAbsolute(startUp) || isUncertain(startUp, isInside))) return true;
  return names.some((name) => env[`BASH_FUNC_${name}%%`] !== undefined);
}

/** Commands of every shell that need no file. */
const BUILTINS = new Set(["cd", "echo", "false", "pwd", "true"]);

/**
 * Returns a test for names that PATH leads to a program outside of the project: else the project says what `ls` is. Directories of PATH
 * are looked at only up to the one that has the program.
 */
export function ownPrograms(isInside: IsInside, env: Environment = process.env): (name: string) => boolean {
  const PATH = env.PATH ?? "";
  const directories = PATH.split(delimiter);
  const trusted = new Map<string, boolean>();
  const isTrusted = (directory: string): boolean => {
    let answer = trusted.get(directory);
    if (answer === undefined) {
      const real = isAbsolute(directory) ? realDirectory(directory) : undefined;
      answer = real !== undefined && !isInside(real);
      trusted.set(directory, answer);
    }
    return answer;
  };
  return (name) => {
    if (BUILTINS.has(name)) return true;
    const found = PATH === "" ? null : Bun.which(name, { PATH });
    // The shell reports a name that does not exist.
    const end = found === null ? undefined : directories.findIndex((directory) => join(directory, name) === found);
    if (end === -1) return false;
    const searched = directories.slice(0, end === undefined ? undefined : end + 1);
    return searched.every(isTrusted) && (found === null || !isUncertain(found, isInside));
  };
}

/** A call is judged when it is announced and again when it runs; the cache makes the second time cheap. */
const KEPT_MS = 1_000;
const realDirectories = new Map<string, { real: string | undefined; state: string; until: number }>();

/** Returns where a directory of PATH leads. Remembered for a moment, while the same directory is there. */
function realDirectory(path: string): string | undefined {
  const now = performance.now();
  const state = stateOf(path);
  const known = realDirectories.get(path);
  if (known && known.state === state && now < known.until) return known.real;
  const real = realPathOf(path);
  realDirectories.set(path, { real, state, until: now + KEPT_MS });
  return real;
}

function stateOf(path: string): string {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    return found ? `${found.dev} ${found.ino} ${found.ctimeMs}` : "";
  } catch (error) {
    if (isSystemError(error)) return errorCode(error) ?? "";
    throw error;
  }
}

function isUncertain(path: string, isInside: IsInside): boolean {
  const real = realPathOf(path);
  return real === undefined || isInside(real);
}

/** Variables that add options to read-only programs or change how they read theirs. */
const ADDS_OPTIONS = ["POSIXLY_CORRECT", "RIPGREP_CONFIG_PATH", "GREP_OPTIONS", "MAGIC"];

export const changesOptions = (env: Environment = process.env): boolean =>
  ADDS_OPTIONS.some((name) => env[name] !== undefined);
