import { delimiter, isAbsolute, join } from "node:path";
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

/** Whether PATH leads from a name to a program outside of the project: else the project says what `ls` is. */
export function isOwnProgram(name: string, isInside: IsInside, env: Environment = process.env): boolean {
  if (BUILTINS.has(name)) return true;
  for (const directory of (env.PATH ?? "").split(delimiter)) {
    if (!isAbsolute(directory) || isUncertain(directory, isInside)) return false;
    if (Bun.which(name, { PATH: directory })) return !isUncertain(join(directory, name), isInside);
  }
  return true; // no such program: the shell will say so
}

function isUncertain(path: string, isInside: IsInside): boolean {
  const real = realPathOf(path);
  return real === undefined || isInside(real);
}

/** Variables that add options to read-only programs or change how they read theirs. */
const ADDS_OPTIONS = ["POSIXLY_CORRECT", "RIPGREP_CONFIG_PATH", "GREP_OPTIONS", "MAGIC"];

export const changesOptions = (env: Environment = process.env): boolean =>
  ADDS_OPTIONS.some((name) => env[name] !== undefined);
