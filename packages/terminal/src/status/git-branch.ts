import { readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const COMMIT_CHARACTERS = 8;

/** Returns the checked-out branch of a directory's repository, the start of the commit id without one, else undefined. */
export function gitBranch(directory: string): string | undefined {
  const head = readHead(directory);
  const branch = head && /^ref: refs\/heads\/(.+)$/.exec(head)?.[1];
  return branch || (head && /^[0-9a-f]{40,}$/.test(head) ? head.slice(0, COMMIT_CHARACTERS) : undefined);
}

function readHead(directory: string): string | undefined {
  for (let place = resolve(directory); ; place = dirname(place)) {
    try {
      const git = join(place, ".git");
      // In a worktree or a submodule, it is a file that names the directory.
      const isFile = statSync(git).isFile();
      const target = isFile
        ? resolve(
            place,
            readFileSync(git, "utf8")
              .replace(/^gitdir: /, "")
              .trim(),
          )
        : git;
      return readFileSync(join(target, "HEAD"), "utf8").trim();
    } catch {
      if (dirname(place) === place) return undefined; // no repository, or an unreadable one
    }
  }
}
