import { findProjectRoot } from "../resources/places/project-root.ts";
import { type Git, GitError } from "./git.ts";

/** The repository that a session works in. */
export interface Repository {
  /** The top folder of the checkout, with links resolved. */
  root: string;
  /** The folder that belongs to this checkout alone. */
  gitDir: string;
  /** Where all checkouts keep their objects. */
  objects: string;
  /** The folder that all checkouts share. */
  commonDir: string;
  /** The hash function of object names. */
  format: string;
  /** The file with ignore patterns that the user has configured. */
  excludesFile: string | undefined;
}

/** Throws GitError if there is no repository with a checkout, or if git cannot read it. */
export async function findRepository(git: Git, cwd: string, userHome: string): Promise<Repository> {
  const project = findProjectRoot(cwd, userHome);
  if (!project.isRepository) throw new GitError(`${cwd} is not in a git repository`);
  const root = project.above.at(-1) ?? project.cwd;
  const ask = (...args: string[]) => git.text({ args: ["rev-parse", ...args], cwd: root });
  // A configuration that names another folder as the checkout could name any folder on this machine.
  const top = await ask("--show-toplevel");
  if (top !== root) throw new GitError(`the repository at ${root} has its checkout elsewhere`);
  const gitDir = await ask("--absolute-git-dir");
  const commonDir = await ask("--path-format=absolute", "--git-common-dir");
  const objects = await ask("--path-format=absolute", "--git-path", "objects");
  const format = await ask("--show-object-format");
  return { root, gitDir, commonDir, objects, format, excludesFile: await readExcludesFile(git, root, gitDir) };
}

async function readExcludesFile(git: Git, cwd: string, gitDir: string): Promise<string | undefined> {
  const args = ["config", "--type=path", "--get", "core.excludesFile"];
  const { output, code } = await git.run({ args, cwd, gitDir, readsUserConfig: true, expected: [1] });
  return code === 0 ? output.toString().replace(/\n$/, "") : undefined;
}

/** Returns the option that makes git use the user's ignore patterns without reading the rest of the configuration. */
export function ignoreOption({ excludesFile }: Pick<Repository, "excludesFile">): string[] {
  return excludesFile === undefined ? [] : ["-c", `core.excludesFile=${excludesFile}`];
}
