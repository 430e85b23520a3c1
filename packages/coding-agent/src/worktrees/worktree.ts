import { copyFile, mkdir, rename } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { errorText } from "@pintle/ai";
import type { ProcessRunner } from "@pintle/exec/processes";
import { describeProcess, PRIVATE_DIRECTORY, realPath } from "@pintle/foundation";
import { Baseline, type ChangedEntry, listCheckout } from "./baseline.ts";
import { hasOtherCheckouts, readRefs } from "./child-refs.ts";
import { copyFiles } from "./copy-files.ts";
import { Git } from "./git.ts";
import { findRepository, type Repository } from "./repository.ts";
import { type WorktreePlaces, worktreePlaces } from "./worktree-places.ts";
import { createPlaces, removePlaces, type WorktreeRecord, writeRecord } from "./worktree-record.ts";
import { writeChildRepository } from "./write-repository.ts";

/** The maximum size of the diff that a preview shows. */
const MAX_DIFF_BYTES = 256 * 1024;

export interface WorktreeOptions {
  /** The folder of the session that the child belongs to. */
  cwd: string;
  /** pintle's own directory. */
  home: string;
  userHome: string;
  childId: string;
  /** The session that receives the changes; undefined if it is only in memory. */
  sessionFile: string | undefined;
  processRunner: ProcessRunner;
  signal?: AbortSignal;
}

/** The changes that a child made in its worktree. */
export interface WorktreeChange {
  /** The patch, which `git apply` accepts; undefined if no file differs. */
  patchPath: string | undefined;
  entries: ChangedEntry[];
  /** The beginning of the patch, without the content of binary files. */
  diff: string;
  /** What the patch does not contain, as clauses. They are the reason to keep the worktree. */
  missing: string[];
}

/**
 * A copy of a checkout for one child, with a repository of its own that borrows the objects of the user's: nothing that happens
 * in it can reach the user's index, HEAD, refs, stash, configuration or hooks.
 */
export class Worktree {
  /** Distinguishes it from all other worktrees. */
  readonly name: string;
  /** The top folder of the copy. */
  readonly folder: string;
  readonly repository: Repository;
  readonly baseline: Baseline;
  readonly #places: WorktreePlaces;
  #record: WorktreeRecord;

  private constructor(places: WorktreePlaces, record: WorktreeRecord, processRunner: ProcessRunner) {
    this.#places = places;
    this.#record = record;
    this.name = places.name;
    this.folder = record.folder;
    this.repository = record.repository;
    const gitDir = join(places.record, "baseline.git");
    this.baseline = new Baseline(gitFor(places, processRunner), record.repository, { folder: this.folder, gitDir });
  }

  /** If it throws GitError or a system error, it leaves nothing behind. Never changes the user's repository. */
  static async create(options: WorktreeOptions): Promise<Worktree> {
    const { cwd, home, userHome, childId, sessionFile, processRunner, signal } = options;
    const places = worktreePlaces(home, `${childId}-${crypto.randomUUID().slice(0, 8)}`);
    await createPlaces(places);
    try {
      const git = gitFor(places, processRunner, signal);
      const repository = await findRepository(git, cwd, userHome);
      const folder = join(realPath(places.worktree) ?? places.worktree, nameOf(repository.root));
      const owner = describeProcess();
      const record: WorktreeRecord = { version: 1, childId, owner, folder, repository };
      if (sessionFile !== undefined) record.sessionFile = sessionFile;
      writeRecord(places, record);
      const worktree = new Worktree(places, record, processRunner);
      await worktree.#fill(git, signal);
      return worktree;
    } catch (error) {
      await removePlaces(places);
      throw error;
    }
  }

  /** Opens a worktree that an earlier process created. */
  static reopen(places: WorktreePlaces, record: WorktreeRecord, processRunner: ProcessRunner): Worktree {
    return new Worktree(places, record, processRunner);
  }

  /** Returns the folder that corresponds to one in the user's checkout. */
  folderOf(cwd: string): string {
    return join(this.folder, relative(this.repository.root, realPath(cwd) ?? cwd));
  }

  /**
   * Compares with the baseline and stores the changes. Returns undefined if there are none. If that cannot be determined,
   * throws GitError or a system error and keeps the worktree.
   */
  async finish(patchPath: string): Promise<WorktreeChange | undefined> {
    const { tree, known } = this.#record;
    if (tree === undefined || !known) return undefined; // nothing has worked in it yet
    const end = await this.baseline.writeEnd();
    const missing = [
      ...end.nested.map((path) => `${path} is a repository of its own`),
      ...(await this.#missing(known)),
    ];
    if (end.tree === tree)
      return missing.length === 0 ? undefined : { patchPath: undefined, entries: [], diff: "", missing };
    const entries = await this.baseline.compare(tree, end.tree);
    await mkdir(dirname(patchPath), { recursive: true, mode: PRIVATE_DIRECTORY });
    const unfinished = join(this.#places.record, "changes.patch");
    await this.baseline.writePatch(tree, end.tree, unfinished);
    await move(unfinished, patchPath);
    this.#store({ patchPath, missing });
    const diff = await this.baseline.readDiff(tree, end.tree, MAX_DIFF_BYTES);
    return { patchPath, entries, diff, missing };
  }

  /**
   * Removes the copy and everything that belongs to it. Call it only if the changes are stored, or if there are none.
   */
  async remove(): Promise<void> {
    this.#store({ isRemoved: true });
    await removePlaces(this.#places);
  }

  /** Records that the model has been informed of it, although its process was killed. */
  reported(): void {
    this.#store({ isReported: true });
  }

  #store(fields: Partial<WorktreeRecord>): void {
    this.#record = { ...this.#record, ...fields };
    writeRecord(this.#places, this.#record);
  }

  async #fill(git: Git, signal: AbortSignal | undefined): Promise<void> {
    const { root } = this.repository;
    await mkdir(this.folder, { recursive: true, mode: PRIVATE_DIRECTORY });
    const { present, folders } = await listCheckout(git, this.repository, signal);
    await copyFiles(present, { from: root, to: this.folder, signal });
    // Submodules are empty, as in any new worktree.
    for (const path of folders) await mkdir(join(this.folder, path), { recursive: true });
    const tree = await this.baseline.write(present.keys());
    const gitDir = join(this.folder, ".git");
    await writeChildRepository(git, gitDir, this.repository);
    const { named, head } = await readRefs(gitDir);
    const known = [...named, ...(head === undefined ? [] : [head])];
    this.#store({ tree, known: [...new Set(known)] });
  }

  /** Finds work of the child that its files do not show. If that fails, assumes that there may be some. */
  async #missing(known: readonly string[]): Promise<string[]> {
    if (hasOtherCheckouts(join(this.folder, ".git"))) return ["there is another checkout of its repository"];
    try {
      const count = await this.baseline.countSideCommits(new Set(known));
      return count === 0 ? [] : [`commits outside of HEAD: ${count}`];
    } catch (error) {
      return [`its branches cannot be read (${errorText(error)})`];
    }
  }
}

function gitFor({ record }: WorktreePlaces, runner: ProcessRunner, signal?: AbortSignal): Git {
  let count = 0;
  const inputPath = () => {
    count += 1;
    return join(record, `input-${count}`);
  };
  return new Git(runner, { ...(signal && { signal }), inputPath });
}

/** The copy has the name of the checkout, which the model and build tools may use. */
function nameOf(root: string): string {
  return basename(root) || "checkout";
}

/** The folder of the session may be on another file system. */
async function move(from: string, to: string): Promise<void> {
  const beside = `${to}.tmp`;
  await copyFile(from, beside);
  await rename(beside, to);
}
