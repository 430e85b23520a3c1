import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { isSystemError } from "../files/system-error.ts";
import { isInside } from "../trust/inside.ts";

export interface ProjectRoot {
  /** Where we work, links resolved. */
  cwd: string;
  /** The directories above it that belong to the same repository, the nearest first. */
  above: string[];
  isRepository: boolean;
  /** What may be linked to without leaving the project. */
  boundary: string;
}

export function findProjectRoot(directory: string, userHome: string): ProjectRoot {
  const cwd = realPath(directory);
  const ancestors = ancestorsOf(cwd);
  const repository = [cwd, ...ancestors].find((folder) => existsSync(join(folder, ".git")));
  const isRepository = repository !== undefined;
  return {
    cwd,
    above: isRepository ? ancestors.slice(0, ancestors.indexOf(repository) + 1) : [],
    isRepository,
    // Some keep their whole home directory in a repository: that makes none of it part of what they have downloaded.
    boundary: isRepository && !isInside(repository, realPath(userHome)) ? repository : cwd,
  };
}

/** The nearest first. */
export function ancestorsOf(directory: string): string[] {
  const parent = dirname(directory);
  return parent === directory ? [] : [parent, ...ancestorsOf(parent)];
}

function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (isSystemError(error)) return path; // gone: then there is nothing in it either
    throw error;
  }
}
