import { join } from "node:path";
import { type CheckoutFiles, examine } from "./checkout-files.ts";
import { readRefs } from "./child-refs.ts";
import { type Git, GitError } from "./git.ts";
import { ignoreOption, type Repository } from "./repository.ts";
import { writeBaselineRepository } from "./write-repository.ts";

/** A file that differs from the baseline. */
export interface ChangedEntry {
  path: string;
  /** The former path of a renamed file. */
  oldPath?: string;
  before: Entry | undefined;
  after: Entry | undefined;
  /** Undefined for a binary file. */
  lines?: { added: number; removed: number };
}

export interface Entry {
  type: "file" | "symlink";
  mode: number;
  object: string;
}

const LISTED = ["ls-files", "-z", "--others", "--exclude-standard"];

/** Lists the files of the user's checkout with which a worktree starts. Writes nothing. */
export async function listCheckout(git: Git, repository: Repository, signal?: AbortSignal): Promise<CheckoutFiles> {
  const { root, gitDir } = repository;
  const args = [...ignoreOption(repository), ...LISTED, "--cached"];
  const listed = await git.parts({ args, cwd: root, gitDir, workTree: root, refusesWarnings: true });
  return examine(root, listed, signal);
}

/** The state in which a worktree began, stored in a repository that only pintle uses. */
export class Baseline {
  readonly #git: Git;
  readonly #repository: Repository;
  readonly #gitDir: string;
  readonly #folder: string;

  /** `folder`: the worktree. `gitDir`: where the baseline is stored. */
  constructor(git: Git, repository: Repository, { folder, gitDir }: { folder: string; gitDir: string }) {
    this.#git = git;
    this.#repository = repository;
    this.#folder = folder;
    this.#gitDir = gitDir;
  }

  /** Stores exactly these files of the worktree. Returns the tree of the baseline. */
  async write(paths: Iterable<string>): Promise<string> {
    await writeBaselineRepository(this.#gitDir, this.#repository);
    await this.#update("--add", paths);
    return this.#text("write-tree");
  }

  /** Stores the current content of the worktree. Returns its tree, and the folders that git does not enter. */
  async writeEnd(): Promise<{ tree: string; nested: string[] }> {
    const tracked = await this.#parts("ls-files", "-z", "--cached");
    const args = [...ignoreOption(this.#repository), ...LISTED];
    const untracked = await this.#git.parts({ ...this.#place, args, refusesWarnings: true });
    const added = await this.#listIndexOfChild();
    const files = await examine(this.#folder, [...tracked, ...untracked, ...added]);
    await this.#update("--force-remove", [...files.gone, ...files.folders]);
    await this.#update("--add", files.present.keys());
    return { tree: await this.#text("write-tree"), nested: files.nested };
  }

  /** Compares two trees. */
  async compare(before: string, after: string): Promise<ChangedEntry[]> {
    const args = ["diff-tree", "-r", "-z", "-M", "--no-commit-id", "--raw", "--numstat", "--no-abbrev", before, after];
    return readChanges(await this.#parts(...args));
  }

  /**
   * Writes a patch that `git apply` accepts, binary files included. A renamed file is removed and added in it, because git
   * refuses to rename a link and put a folder in its place.
   */
  async writePatch(before: string, after: string, path: string): Promise<void> {
    await this.#run(
      "diff-tree",
      "-r",
      "--no-renames",
      "-p",
      "--binary",
      "--full-index",
      `--output=${path}`,
      before,
      after,
    );
  }

  /** Returns the beginning of the patch as text, for people. */
  async readDiff(before: string, after: string, maxBytes: number): Promise<string> {
    const args = ["diff-tree", "-r", "-M", "-p", before, after];
    const { output } = await this.#git.run({ ...this.#place, args, maxBytes });
    return output.toString();
  }

  /** Returns the content of objects. */
  async readObjects(names: readonly string[]): Promise<Map<string, Buffer>> {
    const wanted = [...new Set(names)];
    const input = wanted.map((name) => `${name}\n`).join("");
    const { output } = await this.#git.run({ ...this.#place, args: ["cat-file", "--batch"], input });
    return readBatch(output, wanted);
  }

  async readSizes(names: readonly string[]): Promise<Map<string, number>> {
    const wanted = [...new Set(names)];
    const input = wanted.map((name) => `${name}\n`).join("");
    const args = ["cat-file", "--batch-check=%(objectname) %(objectsize)"];
    const { output } = await this.#git.run({ ...this.#place, args, input });
    const lines = output.toString().trimEnd().split("\n");
    return new Map(lines.map((line) => [line.split(" ")[0] ?? "", Number(line.split(" ")[1])]));
  }

  /** Returns the number of commits that the child has made and that neither its HEAD nor the user's repository contains. */
  async countSideCommits(known: ReadonlySet<string>): Promise<number> {
    const gitDir = join(this.#folder, ".git");
    const { named, head } = await readRefs(gitDir);
    const fresh = [...named].filter((object) => !known.has(object) && object !== head);
    if (fresh.length === 0) return 0;
    const reached = [...known, ...(head === undefined ? [] : [head])];
    const input = [...fresh, ...reached.map((object) => `^${object}`)].map((line) => `${line}\n`).join("");
    const args = ["rev-list", "--count", "--stdin"];
    const objects = join(gitDir, "objects");
    return Number(await this.#git.text({ ...this.#place, args, input, objects }));
  }

  /** A child can add an ignored file to its own index. Its configuration is not read here. */
  #listIndexOfChild(): Promise<string[]> {
    const gitDir = join(this.#folder, ".git");
    const place = { ...this.#place, index: join(gitDir, "index"), objects: join(gitDir, "objects") };
    return this.#git.parts({ ...place, args: ["ls-files", "-z", "--cached"] });
  }

  get #place() {
    return { cwd: this.#folder, gitDir: this.#gitDir, workTree: this.#folder };
  }

  async #update(how: "--add" | "--force-remove", paths: Iterable<string>): Promise<void> {
    const input = [...paths].map((path) => `${path}\0`).join("");
    if (input === "") return;
    await this.#git.run({ ...this.#place, args: ["update-index", how, "-z", "--stdin"], input });
  }

  #run(...args: string[]) {
    return this.#git.run({ ...this.#place, args });
  }

  #parts(...args: string[]) {
    return this.#git.parts({ ...this.#place, args });
  }

  #text(...args: string[]) {
    return this.#git.text({ ...this.#place, args });
  }
}

/** Reads what `--raw --numstat -z` prints: all entries, then the number of lines of each. */
function readChanges(parts: readonly string[]): ChangedEntry[] {
  const changes: ChangedEntry[] = [];
  const rest = parts.values();
  let counted = 0;
  for (const part of rest) {
    const next = () => rest.next().value ?? "";
    if (part.startsWith(":")) {
      const [oldMode = "", newMode = "", oldObject = "", newObject = "", status = ""] = part.slice(1).split(" ");
      const isMoved = status.startsWith("R");
      const [oldPath, path] = isMoved ? [next(), next()] : [undefined, next()];
      const before = toEntry(oldMode, oldObject);
      changes.push({ path, ...(oldPath !== undefined && { oldPath }), before, after: toEntry(newMode, newObject) });
      continue;
    }
    const [added, removed, name] = part.split("\t");
    if (name === "") [next(), next()];
    const change = changes[counted];
    counted += 1;
    if (change && added !== "-") change.lines = { added: Number(added), removed: Number(removed) };
  }
  return changes;
}

const LINK = "120000";
const EXECUTABLE = "100755";

function toEntry(mode: string, object: string): Entry | undefined {
  if (Number(mode) === 0) return undefined;
  if (mode === LINK) return { type: "symlink", mode: 0o777, object };
  return { type: "file", mode: mode === EXECUTABLE ? 0o755 : 0o644, object };
}

function readBatch(output: Buffer, names: readonly string[]): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  let at = 0;
  for (const name of names) {
    const end = output.indexOf(0x0a, at);
    const [object, , size] = output.subarray(at, end).toString().split(" ");
    if (end === -1 || object !== name || size === undefined) throw new GitError(`the object ${name} is missing`);
    const start = end + 1;
    found.set(name, output.subarray(start, start + Number(size)));
    at = start + Number(size) + 1;
  }
  return found;
}
