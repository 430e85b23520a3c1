import { dirname, join, resolve } from "node:path";
import { lstatIfThere } from "../scan/read-state.ts";
import { readIfThere } from "../store/object-store.ts";

/** Returns the commit that HEAD of the surrounding repository names, without running git; undefined outside a repository. */
export function gitHead(directory: string): string | undefined {
  const git = findGitDirectory(directory);
  if (git === undefined) return undefined;
  const head = textOf(join(git, "HEAD"));
  const ref = /^ref: (.+)$/.exec(head)?.[1];
  if (ref === undefined) return head;
  const common = resolve(git, textOf(join(git, "commondir")) || ".");
  const loose = textOf(join(git, ref)) || textOf(join(common, ref));
  if (loose !== "") return loose;
  const packed = textOf(join(common, "packed-refs"))
    .split("\n")
    .find((line) => line.endsWith(` ${ref}`));
  return packed?.split(" ")[0] ?? `unborn ${ref}`;
}

function findGitDirectory(directory: string): string | undefined {
  const path = join(directory, ".git");
  const stats = lstatIfThere(path);
  if (stats?.isDirectory()) return path;
  const named = stats?.isFile() ? /^gitdir: (.+)$/.exec(textOf(path))?.[1] : undefined;
  if (named !== undefined) return resolve(directory, named);
  return dirname(directory) === directory ? undefined : findGitDirectory(dirname(directory));
}

const textOf = (path: string) => readIfThere(path)?.toString().trim() ?? "";
