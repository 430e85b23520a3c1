import { delimiter, isAbsolute } from "node:path";
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
 * Returns a test for names that PATH leads to a program outside of the project: else the project says what `ls` is. PATH is
 * looked at once, for all programs of a command.
 */
export function ownPrograms(isInside: IsInside, env: Environment = process.env): (name: string) => boolean {
  let trusted: { PATH: string; isWhole: boolean } | undefined;
  return (name) => {
    if (BUILTINS.has(name)) return true;
    trusted ??= trustedPath(isInside, env.PATH ?? "");
    const found = trusted.PATH === "" ? null : Bun.which(name, { PATH: trusted.PATH });
    // A name that is nowhere is left to the shell, which will say so.
    return found ? !isUncertain(found, isInside) : trusted.isWhole;
  };
}

/** Returns the directories of PATH up to the first that is in the project, or may be. */
function trustedPath(isInside: IsInside, path: string): { PATH: string; isWhole: boolean } {
  const directories = path.split(delimiter);
  const end = directories.findIndex((directory) => !isAbsolute(directory) || isUncertain(directory, isInside));
  return { PATH: directories.slice(0, end === -1 ? undefined : end).join(delimiter), isWhole: end === -1 };
}

function isUncertain(path: string, isInside: IsInside): boolean {
  const real = realPathOf(path);
  return real === undefined || isInside(real);
}

/** Variables that add options to read-only programs or change how they read theirs. */
const ADDS_OPTIONS = ["POSIXLY_CORRECT", "RIPGREP_CONFIG_PATH", "GREP_OPTIONS", "MAGIC"];

export const changesOptions = (env: Environment = process.env): boolean =>
  ADDS_OPTIONS.some((name) => env[name] !== undefined);
