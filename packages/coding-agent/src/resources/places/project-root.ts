import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import { isInside } from "../../files/is-inside.ts";
import { realPath } from "../../files/real-path.ts";
import { isSystemError } from "../../files/system-error.ts";

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
  const cwd = realPath(directory) ?? directory;
  const ancestors = ancestorsOf(cwd);
  const repository = [cwd, ...ancestors].find((folder) => isRepositoryOf(cwd, folder));
  const isRepository = repository !== undefined;
  return {
    cwd,
    above: isRepository ? ancestors.slice(0, ancestors.indexOf(repository) + 1) : [],
    isRepository,
    // Some keep their whole home directory in a repository: that makes none of it part of what they have downloaded.
    boundary: isRepository && !isInside(repository, realPath(userHome) ?? userHome) ? repository : cwd,
  };
}

/** Every user may put a `.git` into /tmp; only one of ours, of root's or of the project's owner makes a repository around it. */
function isRepositoryOf(cwd: string, folder: string): boolean {
  const owner = ownerOf(join(folder, ".git"));
  if (owner === undefined) return false;
  return folder === cwd || owner === 0 || owner === process.getuid?.() || owner === ownerOf(cwd);
}

function ownerOf(path: string): number | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })?.uid;
  } catch (error) {
    if (isSystemError(error)) return undefined; // not for us
    throw error;
  }
}

/** The nearest first. */
export function ancestorsOf(directory: string): string[] {
  const parent = dirname(directory);
  return parent === directory ? [] : [parent, ...ancestorsOf(parent)];
}
