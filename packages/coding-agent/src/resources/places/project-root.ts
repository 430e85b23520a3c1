import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import { isInside, isSystemError, realPath } from "@pintle/foundation";

export interface ProjectRoot {
  /** The working directory, with links resolved. */
  cwd: string;
  /** The parent directories in the same repository, nearest first. */
  above: string[];
  isRepository: boolean;
  /** Links that stay below this directory do not leave the project. */
  boundary: string;
}

export function findProjectRoot(directory: string, userHome: string): ProjectRoot {
  const cwd = realPath(directory) ?? directory;
  const ancestors = ancestorsOf(cwd);
  const repository = [cwd, ...ancestors].find((folder) => isRepositoryOf(cwd, folder));
  const isRepository = repository !== undefined;
  return {
    cwd,
    above: isRepository ? ancestors.slice(0, ancestors.indexOf(repository) + 1) : [],
    isRepository,
    // A home directory may itself be a repository. Downloaded projects inside it do not belong to that repository.
    boundary: isRepository && !isInside(repository, realPath(userHome) ?? userHome) ? repository : cwd,
  };
}

/** Any user can create /tmp/.git, so a repository must belong to the current user, to root or to the owner of the project. */
function isRepositoryOf(cwd: string, folder: string): boolean {
  const owner = ownerOf(join(folder, ".git"));
  if (owner === undefined) return false;
  return folder === cwd || owner === 0 || owner === process.getuid?.() || owner === ownerOf(cwd);
}

function ownerOf(path: string): number | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })?.uid;
  } catch (error) {
    if (isSystemError(error)) return undefined; // not readable
    throw error;
  }
}

/** Returns the parent directories, nearest first. */
export function ancestorsOf(directory: string): string[] {
  const parent = dirname(directory);
  return parent === directory ? [] : [parent, ...ancestorsOf(parent)];
}
