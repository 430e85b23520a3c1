import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { isMissing } from "@pintle/foundation";

const PACKED = /^([0-9a-f]{40}|[0-9a-f]{64}) (refs\/.+)$/;
const OBJECT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const SYMBOLIC = /^ref: (.+)$/;
const MAX_FILES = 100_000;

export interface Refs {
  /** The commits that branches, tags and stashes name. */
  named: Set<string>;
  /** The commit that is checked out. */
  head: string | undefined;
}

/**
 * Reads where the refs of a repository point. Does not use git, because a child could have configured git to run a program.
 * Throws if the refs cannot be read.
 */
export async function readRefs(gitDir: string): Promise<Refs> {
  const byName = new Map<string, string>();
  for (const line of (await readText(join(gitDir, "packed-refs"))).split("\n")) {
    const [, object, name] = PACKED.exec(line) ?? [];
    if (object !== undefined && name !== undefined) byName.set(name, object);
  }
  for (const [name, object] of await readLooseRefs(gitDir)) byName.set(name, object);
  const head = (await readText(join(gitDir, "HEAD"))).trim();
  const [, target] = SYMBOLIC.exec(head) ?? [];
  return { named: new Set(byName.values()), head: target === undefined ? head : byName.get(target) };
}

/** Whether a child has checkouts elsewhere, which need its repository. */
export const hasOtherCheckouts = (gitDir: string) => existsSync(join(gitDir, "worktrees"));

async function readLooseRefs(gitDir: string): Promise<[name: string, object: string][]> {
  const found: [string, string][] = [];
  const folders = ["refs"];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await readdir(join(gitDir, folder), { withFileTypes: true })) {
      const name = `${folder}/${entry.name}`;
      if (entry.isDirectory()) folders.push(name);
      else if (entry.isFile() && !name.endsWith(".lock")) {
        const text = (await readFile(join(gitDir, name), "utf8")).trim();
        if (OBJECT.test(text)) found.push([name, text]);
        else if (!SYMBOLIC.test(text)) throw new Error(`${name} is not a ref`);
      }
      if (found.length > MAX_FILES) throw new Error("there are too many refs");
    }
  }
  return found;
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return "";
    throw error;
  }
}
