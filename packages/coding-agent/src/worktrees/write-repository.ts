import { copyFile, mkdir, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isMissing, PRIVATE_DIRECTORY, PRIVATE_FILE } from "@pintle/foundation";
import type { Git } from "./git.ts";
import type { Repository } from "./repository.ts";

/** Options of the user's repository that determine how git sees files. None of them can name a program. */
const SHARED_OPTIONS: ReadonlySet<string> = new Set([
  "core.autocrlf",
  "core.eol",
  "core.filemode",
  "core.ignorecase",
  "core.precomposeunicode",
  "core.quotepath",
  "core.sparsecheckout",
  "core.sparsecheckoutcone",
  "core.symlinks",
  "index.sparse",
  "user.email",
  "user.name",
]);

/** The baseline has every file byte for byte, whatever the project's attributes say. */
const RAW_ATTRIBUTES = "* -text -eol -crlf -ident -filter -working-tree-encoding !diff !merge\n";
const RAW_OPTIONS = "[core]\n\tfilemode = true\n\tsymlinks = true\n\tautocrlf = false\n[gc]\n\tauto = 0\n";

/** Writes the repository that stores the initial state of a worktree. Only pintle uses it. */
export async function writeBaselineRepository(gitDir: string, repository: Repository): Promise<void> {
  await writeRepository(gitDir, repository, RAW_OPTIONS);
  await write(join(gitDir, "HEAD"), "ref: refs/heads/none\n");
  await write(join(gitDir, "info/attributes"), RAW_ATTRIBUTES);
  for (const file of ["shallow", "info/exclude"])
    await copyIfPresent(join(repository.commonDir, file), join(gitDir, file));
}

/**
 * Writes the repository that a child sees in its worktree: the parent's HEAD, branches, tags and index as they are now. It is a
 * separate repository, because commits, stashes, branches and configuration in a linked worktree would be the user's.
 */
export async function writeChildRepository(git: Git, gitDir: string, repository: Repository): Promise<void> {
  const parent = { cwd: repository.root, gitDir: repository.gitDir };
  const listed = await git.parts({ args: ["config", "--null", "--list"], ...parent });
  await writeRepository(gitDir, repository, listed.map(sharedOption).join(""));
  const refs = await git.text({ args: ["for-each-ref", "--format=%(objectname) %(refname)"], ...parent });
  await write(join(gitDir, "packed-refs"), refs === "" ? "" : `${refs}\n`);
  await write(join(gitDir, "HEAD"), `${await readHead(git, parent)}\n`);
  for (const file of ["shallow", "info/exclude", "info/attributes"]) {
    await copyIfPresent(join(repository.commonDir, file), join(gitDir, file));
  }
  await copyIfPresent(join(repository.gitDir, "info/sparse-checkout"), join(gitDir, "info/sparse-checkout"));
  await copyIndex(git, gitDir, repository);
}

/**
 * Writes a repository that reads the objects of another one and stores only its own. It does not use the configuration of the
 * other one.
 */
async function writeRepository(gitDir: string, { format, objects }: Repository, options: string): Promise<void> {
  for (const folder of ["objects/info", "refs/heads", "info"]) {
    await mkdir(join(gitDir, folder), { recursive: true, mode: PRIVATE_DIRECTORY });
  }
  const version = format === "sha1" ? "0" : `1\n[extensions]\n\tobjectformat = ${format}`;
  const own = "[core]\n\tbare = false\n\tsplitIndex = false\n\tfsmonitor = false\n";
  await write(join(gitDir, "config"), `[core]\n\trepositoryformatversion = ${version}\n${options}${own}`);
  await write(join(gitDir, "objects/info/alternates"), `${/["\n]/.test(objects) ? quoted(objects) : objects}\n`);
}

async function readHead(git: Git, parent: { cwd: string; gitDir: string }): Promise<string> {
  const args = ["symbolic-ref", "--quiet", "HEAD"];
  const { output, code } = await git.run({ args, ...parent, expected: [1] });
  return code === 0 ? `ref: ${output.toString().trim()}` : git.text({ args: ["rev-parse", "HEAD"], ...parent });
}

/**
 * Copies what is staged as one file: an index may continue in a file of its repository, or name a file system monitor. Git sees
 * an empty folder in place of the checkout, because it would filter files that have changed within the last moment.
 */
async function copyIndex(git: Git, childDir: string, { gitDir }: Repository): Promise<void> {
  const index = join(childDir, "index");
  if (!(await copyIfPresent(join(gitDir, "index"), index))) return;
  const args = ["update-index", "--no-split-index", "--no-fsmonitor", "--no-untracked-cache", "--force-write-index"];
  const workTree = join(childDir, "objects/empty");
  await mkdir(workTree);
  await git.run({ args, cwd: workTree, gitDir, workTree, index });
  await rmdir(workTree);
}

function sharedOption(listed: string): string {
  const [key = "", ...value] = listed.split("\n");
  const [section, name] = key.split(".");
  return SHARED_OPTIONS.has(key) ? `[${section}]\n\t${name} = ${quoted(value.join("\n"))}\n` : "";
}

function quoted(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;
}

async function copyIfPresent(from: string, to: string): Promise<boolean> {
  try {
    await copyFile(from, to);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

const write = (path: string, text: string) => writeFile(path, text, { mode: PRIVATE_FILE });
