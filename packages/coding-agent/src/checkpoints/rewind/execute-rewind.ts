import { type FileState, isSameState } from "../../file-changes/index.ts";
import { readFileState } from "../scan/read-state.ts";
import type { LoadState, RewindJournal, RewindRecord } from "../store/records.ts";
import { isSafePath, keepCopy, removeEmptyDirectories, removeIfThere, replacePath } from "./replace-path.ts";

/** Where a journal is stored. It exists from before the first change until the rewind is final or rolled back. */
export interface RewindStore {
  rewind(rewindId: string): RewindRecord | undefined;
  load: LoadState;
  writeJournal(journal: RewindJournal): void;
  commitRewind(record: RewindRecord): void;
  dropJournal(rewindId: string): void;
}

/** The changes to files, so that tests can interrupt a rewind at each of them. */
export interface RewindDisk {
  replace: typeof replacePath;
  keepCopy: typeof keepCopy;
}

export const systemRewindDisk: RewindDisk = { replace: replacePath, keepCopy };

interface LoadedFile {
  path: string;
  current: FileState | undefined;
  target: FileState | undefined;
  keepsCopy: boolean;
}

export interface ExecutedRewind {
  kept: { path: string; copy: string }[];
}

/**
 * Replaces all files of a rewind, or none. If a step fails, it reverts the others and throws the reason. If the process is
 * killed, `recoverRewind` reverts them. Synchronous, so that nothing else in this process runs in between.
 */
export function executeRewind(
  journal: RewindJournal,
  {
    store,
    roots,
    disk = systemRewindDisk,
  }: { store: RewindStore; roots: readonly string[]; disk?: RewindDisk | undefined },
): ExecutedRewind {
  const files = loadFiles(journal, store.load);
  const { rewindId } = journal.record;
  store.writeJournal(journal);
  const kept: ExecutedRewind["kept"] = [];
  const done: LoadedFile[] = [];
  try {
    for (const [index, file] of files.entries()) {
      if (file.keepsCopy && file.current) kept.push({ path: file.path, copy: disk.keepCopy(file.path, file.current) });
      if (isSameState(file.current, file.target)) continue;
      done.push(file);
      disk.replace({ ...file, temporary: temporaryName(rewindId, index) });
    }
    store.commitRewind(journal.record);
  } catch (error) {
    takeBack(done, rewindId, disk);
    for (const { path, copy } of kept) {
      // If the file was changed again meanwhile, the copy is all that is left of its content.
      const file = files.find((one) => one.path === path);
      const now = readFileState(path);
      if (now !== "other" && isSameState(now, file?.current)) removeIfThere(copy);
    }
    store.dropJournal(rewindId);
    throw error;
  }
  store.dropJournal(rewindId);
  for (const { path, target } of files) if (!target) removeEmptyDirectories(path, roots);
  return { kept };
}

/**
 * Rolls back a rewind whose process has died. Keeps files that others have changed since, and copies of files, which may be all
 * that is left of them.
 */
export function recoverRewind(
  journal: RewindJournal,
  { store, home, disk = systemRewindDisk }: { store: RewindStore; home: string; disk?: RewindDisk },
): void {
  const { rewindId } = journal.record;
  if (store.rewind(rewindId)) {
    store.dropJournal(rewindId); // it was final
    return;
  }
  const safe = journal.files.filter(({ path }) => isSafePath(path, home));
  const files = loadFiles({ ...journal, files: safe }, store.load);
  for (const [index, { path }] of journal.files.entries()) {
    if (isSafePath(path, home))
      removeIfThere(`${path.slice(0, path.lastIndexOf("/"))}/${temporaryName(rewindId, index)}`);
  }
  takeBack(files, rewindId, disk);
  store.dropJournal(rewindId);
}

function takeBack(files: readonly LoadedFile[], rewindId: string, { replace }: RewindDisk): void {
  for (const { path, current, target } of files.toReversed()) {
    const now = readFileState(path);
    if (now === "other" || isSameState(now, current) || !isSameState(now, target)) continue;
    replace({ path, current: target, target: current, temporary: temporaryName(rewindId, "back") });
  }
}

function loadFiles({ files }: RewindJournal, load: LoadState): LoadedFile[] {
  return files.map(({ path, current, target, keepsCopy }) => {
    const [now, then] = [load(current), load(target)];
    if (!now || !then) throw new Error(`The stored content of ${path} is missing or damaged`);
    return { path, current: now.state, target: then.state, keepsCopy };
  });
}

function temporaryName(rewindId: string, index: number | "back"): string {
  return `.pintle-${rewindId}-${index}.tmp`;
}
