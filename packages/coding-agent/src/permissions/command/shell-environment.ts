import { lstatSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { errorCode, isSystemError } from "@pintle/foundation";
import { realPathOf } from "./real-path.ts";

type Environment = Readonly<Record<string, string | undefined>>;
type IsInside = (real: string) => boolean;

/**
 * Returns whether environment variables let project files or an exported function decide which program a name runs in the
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
 * Returns a predicate for names that PATH resolves to a program outside the project; otherwise the project could provide its
 * own `ls`. Directories in PATH are checked only up to the one that contains the program.
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
    // If no program is found, the shell reports it.
    const end = found === null ? undefined : directories.findIndex((directory) => join(directory, name) === found);
    if (end === -1) return false;
    const searched = directories.slice(0, end === undefined ? undefined : end + 1);
    return searched.every(isTrusted) && (found === null || !isUncertain(found, isInside));
  };
}

/** Cache lifetime. Each call is judged twice, when it is announced and when it runs; the cache makes the second time cheap. */
const KEPT_MS = 1_000;
const realDirectories = new Map<string, { real: string | undefined; state: string; until: number }>();

/** Returns the real path of a directory in PATH. Cached briefly, as long as the directory is the same. */
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
