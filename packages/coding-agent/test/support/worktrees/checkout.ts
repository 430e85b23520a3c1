import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ProcessRunner } from "@pintle/exec/processes";
import { scratchPath } from "../../../../../test/support/scratch-directory.mjs";
import { Worktree } from "../../../src/worktrees/worktree.ts";
import { git } from "../examples/git.ts";

export const processRunner = new ProcessRunner({ environment: process.env });

/** A repository with one commit and a home directory of pintle, both empty. */
export async function newCheckout({ isCommitted = true, options = [] as string[] } = {}) {
  const base = scratchPath();
  const [root, home, userHome] = ["project", "home", "user"].map((name) => join(base, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [root, home, userHome]) mkdirSync(folder);
  await git(root, "init", "--quiet", ...options);
  if (isCommitted) await git(root, "commit", "--quiet", "--allow-empty", "-m", "first");
  return { base, root, home, userHome };
}

export type Checkout = Awaited<ReturnType<typeof newCheckout>>;

export function createWorktree(
  { root, home, userHome }: Checkout,
  options: { cwd?: string; sessionFile?: string } = {},
) {
  const { cwd = root, sessionFile } = options;
  return Worktree.create({ cwd, home, userHome, childId: "worker", sessionFile, processRunner });
}

export const patchOf = ({ base }: Checkout) => join(base, "session", "worker.patch");

/** Everything below a folder except `.git` at its top, with types, permissions of git and content. */
export function filesIn(root: string, folder = "", { withGit = false } = {}): Record<string, string> {
  return Object.fromEntries(
    readdirSync(join(root, folder))
      .filter((name) => withGit || folder !== "" || name !== ".git")
      .sort()
      .flatMap((name): [string, string][] => {
        const path = folder === "" ? name : `${folder}/${name}`;
        const stats = lstatSync(join(root, path));
        if (stats.isSymbolicLink()) return [[path, `-> ${readlinkSync(join(root, path))}`]];
        if (stats.isDirectory()) return Object.entries(filesIn(root, path, { withGit }));
        const mark = (stats.mode & 0o100) === 0 ? "file" : "program";
        return [[path, `${mark} ${readFileSync(join(root, path)).toString("latin1")}`]];
      }),
  );
}

/** Changes what pintle has stored about a worktree. */
export function editRecord({ home }: { home: string }, name: string, fields: object): void {
  const path = join(home, "worktree-records", name, "record.json");
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), ...fields }));
}
