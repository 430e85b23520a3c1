import { chmodSync, lstatSync, readdirSync, renameSync, rmdirSync, symlinkSync, unlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { errorText } from "@pintle/ai";
import {
  canonicalPath,
  errorCode,
  HeldDirectory,
  isSystemError,
  namesBelow,
  PathExchangedError,
  replaceFile,
} from "@pintle/foundation";
import { type FileState, mergeChange } from "../file-changes/index.ts";
import { ApplyRefused } from "../previews/apply-refused.ts";
import { withFileMutationQueue } from "../tools/shared/file-mutations.ts";
import { writableTarget } from "../tools/shared/protected-paths.ts";
import { type Found, foldersAbove, gitMode, isFolder, isPresent, readState } from "./file-states.ts";

/** A file before and after the change of a child. Undefined means that nothing is there. */
export interface FileVersions {
  /** Relative to the top folder of the checkout. */
  path: string;
  before: FileState | undefined;
  after: FileState | undefined;
}

export interface ApplyTarget {
  /** The top folder of the checkout, with links resolved. */
  root: string;
  /** pintle's own directory, which is never changed. */
  home: string;
  /** Records a file that is about to be changed, by its real path. */
  beforeWrite?: ((real: string) => void) | undefined;
}

/** A step of an apply: `next` replaces `current`. */
interface Step {
  path: string;
  current: FileState | undefined;
  next: FileState | undefined;
  /** Whether `next` restores the previous state, with all its permissions. */
  isRestored?: true;
}

const MAX_NAMES = 10;

/**
 * Applies the changes to the user's checkout, all of them or none. Files that have changed since the baseline are merged line
 * by line. Throws ApplyRefused if that is impossible; then nothing is changed. Returns how many files were merged.
 */
export async function applyChanges(files: readonly FileVersions[], target: ApplyTarget): Promise<{ merged: number }> {
  const paths = files.map(({ path }) => join(target.root, path));
  const queued = paths.filter((path, index) => isFollowed(path, target.home, files[index]!.path));
  return withFiles(queued, async () => {
    const { steps, merged } = plan(files, target.root);
    for (const { path } of steps) target.beforeWrite?.(path);
    execute(steps, target.root);
    return { merged };
  });
}

/** Throws for pintle's own files. Returns false for a circular link, which leads to no file and is replaced. */
function isFollowed(path: string, home: string, shown: string): boolean {
  try {
    writableTarget(path, home, shown);
    return true;
  } catch (error) {
    if (errorCode(error) !== "ELOOP" || namesBelow(path, canonicalPath(home)) !== undefined) throw error;
    return false;
  }
}

/** Takes the queues in a fixed order, so that two calls never wait for each other. */
function withFiles<T>(paths: readonly string[], work: () => Promise<T>): Promise<T> {
  const inTurn = [...new Set(paths)]
    .sort()
    .reduceRight((inner, path) => () => withFileMutationQueue(path, inner), work);
  return inTurn();
}

function plan(files: readonly FileVersions[], root: string): { steps: Step[]; merged: number } {
  const steps: Step[] = [];
  const conflicts: string[] = [];
  let merged = 0;
  const removed = new Set(files.filter(({ after }) => !after).map(({ path }) => join(root, path)));
  for (const { path: shown, before, after } of files) {
    const path = join(root, shown);
    const found = foundAt(path, root, removed, before);
    const current = found === "nothing" || found === "other" ? undefined : found;
    const result = found === "other" ? undefined : mergeChange(before, after, current && asInGit(current));
    if (!result) conflicts.push(shown);
    else if (!isSame(current, result.state)) {
      steps.push({ path, current, next: result.state });
      if (result.state !== after) merged += 1;
    }
  }
  if (conflicts.length > 0) throw conflict(conflicts);
  return { steps, merged };
}

/** A folder at the path of a new file, or a file above it, is not an obstacle if the change itself removes it. */
function foundAt(path: string, root: string, removed: ReadonlySet<string>, before: FileState | undefined): Found {
  const found = readState(path);
  if (before || (found !== "other" && found !== "nothing")) return found;
  const obstacle = foldersAbove(path, root).findLast((above) => isPresent(above) && !isFolder(above));
  if (obstacle !== undefined) return removed.has(obstacle) ? "nothing" : "other";
  if (found === "nothing") return found;
  return isFolder(path) && filesBelow(path).every((file) => removed.has(file)) ? "nothing" : "other";
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

const asInGit = (state: FileState): FileState =>
  state.type === "file" ? { ...state, mode: gitMode(state.mode) } : state;

function isSame(current: FileState | undefined, next: FileState | undefined): boolean {
  if (!current || !next) return current === next;
  const isSameMode = current.type === "symlink" || gitMode(current.mode) === next.mode;
  return current.type === next.type && isSameMode && Buffer.compare(current.bytes, next.bytes) === 0;
}

function conflict(names: readonly string[]): ApplyRefused {
  const listed = names.slice(0, MAX_NAMES).join(", ") + (names.length > MAX_NAMES ? ", …" : "");
  return new ApplyRefused("conflict", `Nothing was applied: changed since the subagent started: ${listed}.`);
}

/** Removes first, because a folder may replace a file, or a file a folder. */
function execute(steps: readonly Step[], root: string): void {
  const removals = steps.filter(({ next }) => !next);
  const writes = steps.filter(({ next }) => next);
  const done: Step[] = [];
  const created: string[] = [];
  try {
    for (const step of removals) {
      replace(step);
      done.push(step);
    }
    for (const { path } of removals) removeEmptyFolders(path, root);
    for (const step of writes) {
      const missing = foldersAbove(step.path, root).filter((folder) => !isPresent(folder));
      created.push(...missing.reverse());
      removeEmptyFolder(step.path);
      replace(step);
      done.push(step);
    }
  } catch (error) {
    const lost = restore(done.reverse(), created);
    const isOthersWork = error instanceof ApplyRefused || error instanceof PathExchangedError;
    if (!isSystemError(error) && !isOthersWork) throw error;
    const state = lost.length === 0 ? "Nothing was applied" : `Could not be restored: ${lost.join(", ")}`;
    throw new ApplyRefused("conflict", `${errorText(error)}. ${state}.`);
  }
}

/** Returns the paths that could not be restored. */
function restore(done: readonly Step[], created: readonly string[]): string[] {
  const lost: string[] = [];
  const attempt = (path: string, work: () => void) => {
    try {
      work();
    } catch {
      lost.push(path);
    }
  };
  const undo = done.map(({ path, current, next }): Step => ({ path, current: next, next: current, isRestored: true }));
  for (const step of undo.filter(({ next }) => !next)) attempt(step.path, () => replace(step));
  for (const folder of created.toReversed()) removeEmptyFolder(folder);
  for (const step of undo.filter(({ next }) => next)) attempt(step.path, () => replace(step));
  return lost;
}

/** Replaces exactly what was found, at exactly this path, whatever other programs do to the folders above it. */
function replace({ path, current, next, isRestored }: Step): void {
  const found = readState(path);
  if (found === "other" || !isUnchanged(found === "nothing" ? undefined : found, current)) {
    throw new ApplyRefused("conflict", `${path} changed meanwhile`);
  }
  const folder = HeldDirectory.open(dirname(path), path, { create: next !== undefined });
  try {
    const own = folder.pathOf(basename(path));
    if (current && (!next || current.type !== next.type)) unlinkSync(own);
    if (next?.type === "symlink") replaceLink(own, next);
    else if (next) {
      replaceFile(path, { content: next.bytes, mode: 0o666 | (next.mode & 0o111), within: folder });
      if (isRestored) chmodSync(own, next.mode);
      else setExecutable(own, next.mode);
    }
  } finally {
    folder.close();
  }
}

function isUnchanged(found: FileState | undefined, expected: FileState | undefined): boolean {
  if (!found || !expected) return found === expected;
  return found.type === expected.type && Buffer.compare(found.bytes, expected.bytes) === 0;
}

function replaceLink(path: string, { bytes }: FileState): void {
  const temporary = join(dirname(path), `.pintle-${crypto.randomUUID()}.tmp`);
  symlinkSync(Buffer.from(bytes), temporary);
  renameSync(temporary, path);
}

/** Like git: anyone who may read a program may also run it. */
function setExecutable(path: string, wanted: number): void {
  const { mode } = lstatSync(path);
  if (gitMode(mode) === gitMode(wanted)) return;
  chmodSync(path, gitMode(wanted) === 0o755 ? mode | ((mode & 0o444) >> 2) : mode & ~0o111);
}

function removeEmptyFolders(path: string, root: string): void {
  for (const folder of foldersAbove(path, root)) if (!removeEmptyFolder(folder)) return;
}

function removeEmptyFolder(path: string): boolean {
  if (!isFolder(path)) return false;
  try {
    rmdirSync(path);
    return true;
  } catch (error) {
    if (isSystemError(error)) return false; // it is not empty
    throw error;
  }
}
