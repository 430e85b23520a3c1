import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const LONGEST_HEAD = 1_000;

/** Returns the checked-out branch of the repository that contains the directory, or undefined if there is none. */
export function gitBranch(directory: string): string | undefined {
  for (let place = resolve(directory); ; place = dirname(place)) {
    const head = readHead(join(place, ".git"));
    if (head !== undefined) return /^ref: refs\/heads\/(.+)$/.exec(head)?.[1];
    if (dirname(place) === place) return undefined;
  }
}

/** Reads HEAD. In a linked worktree, `.git` is a file that names the directory that contains it. */
function readHead(git: string): string | undefined {
  const head = readLine(join(git, "HEAD"));
  if (head !== undefined) return head;
  const linked = /^gitdir: (.+)$/.exec(readLine(git) ?? "")?.[1];
  return linked === undefined ? undefined : readLine(join(resolve(dirname(git), linked), "HEAD"));
}

function readLine(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").slice(0, LONGEST_HEAD).trim();
  } catch {
    return undefined;
  }
}
