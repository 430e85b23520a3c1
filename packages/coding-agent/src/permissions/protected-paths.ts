import { homedir } from "node:os";
import { namesBelow } from "../files/path-containment.ts";
import { START_UP_FILES, START_UP_FOLDERS } from "../files/start-up-files.ts";

// What tools never touch unless a rule of the host or the user names exactly that file. Names as nameKey writes them.

const START_UP: readonly (readonly string[])[] = [...START_UP_FILES, ...START_UP_FOLDERS].map((path) =>
  path.split("/"),
);

/** Why a tool may not touch a path, links followed, whatever the preset. */
export function pathProtection(
  real: string,
  access: "read" | "write",
  { home = homedir(), ownDirectory }: { home?: string; ownDirectory?: string } = {},
): string | undefined {
  const belowHome = namesBelow(real, home);
  if (ownDirectory !== undefined && namesBelow(real, ownDirectory)?.[0] === "auth.json") return "keys are in auth.json";
  if (belowHome?.[0] === ".ssh") return "keys of the user are in ~/.ssh";
  if (access === "read") return undefined;
  if (isGitControl(namesBelow(real, "/") ?? [])) return "git runs what stands there";
  if (belowHome && isStartUpFile(belowHome)) return "the shell runs what stands there";
  return undefined;
}

function isStartUpFile(names: readonly string[]): boolean {
  return START_UP.some((path) => path.every((name, index) => name === names[index]));
}

/** All of a repository's own files: configuration, hooks, and names that lead git to others of them elsewhere. */
function isGitControl(names: readonly string[]): boolean {
  return names.includes(".git");
}
