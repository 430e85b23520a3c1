import { lstatSync, mkdirSync, realpathSync } from "node:fs";
import { basename, dirname } from "node:path";
import { describeProcess, LockFile, replaceFile, systemDisk } from "@pintle/foundation";
import { documents, errorCode, type FileFormat, formatOf } from "../config-text.ts";
import { changesBetween } from "../documents/changes.ts";
import { SettingsError } from "./settings-error.ts";
import { parseSettings, readSettingsFile } from "./settings-file.ts";
import type { SettingsTree } from "./settings-tree.ts";

const LOCK_POLL_MS = 20;
const LOCK_LIMIT_MS = 5_000;
/** Indentation grows with the square of the depth, so a small file could become gigabytes. */
const MAX_DEPTH = 100;

/**
 * Changes the file's current content, so that processes that change different keys do not overwrite each other. The file is
 * replaced atomically; one that cannot be read stays unchanged. Throws SettingsError. `change` runs in the same tick as the
 * write.
 */
export async function changeSettingsFile(
  path: string,
  change: (tree: SettingsTree) => SettingsTree,
  { isPrivate = false }: { isPrivate?: boolean } = {},
): Promise<void> {
  try {
    const target = resolveLinks(path);
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    await withLock(target, () => changeNow(target, formatOf(path), change, isPrivate));
  } catch (error) {
    if (error instanceof SettingsError) throw new SettingsError(`${path}: ${error.message}`);
    throw new SettingsError(`${path}: cannot be written (${errorCode(error)})`, { cause: error });
  }
}

/**
 * Follows a link and keeps it, because many users keep their settings elsewhere and link to them. Does not resolve other
 * paths: the runtime would ask the system for the name of an open file, and a file that is being replaced has none.
 */
function resolveLinks(path: string): string {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? realpathSync(path) : path;
}

function changeNow(
  path: string,
  format: FileFormat,
  change: (tree: SettingsTree) => SettingsTree,
  isPrivate: boolean,
): void {
  const file = readSettingsFile(path, format);
  if (file && "problem" in file) throw new SettingsError(`${file.problem}; it was not changed`);
  const tree = file?.tree ?? {};
  const changed = change(tree);
  if (isDeeperThan(MAX_DEPTH, changed)) throw new SettingsError("is nested too deeply; it was not changed");
  if (Bun.deepEquals(changed, tree)) return;
  const content = Buffer.from(toText(tree, changed, format, file?.text));
  replaceFile(path, { content, mode: 0o600, fsync: true, isPrivate });
}

function toText(tree: SettingsTree, changed: SettingsTree, format: FileFormat, old = ""): string {
  const text = WRITERS[format](tree, changed, old);
  const again = parseSettings(text, format);
  if ("tree" in again && Bun.deepEquals(again.tree, changed)) return text.endsWith("\n") ? text : `${text}\n`;
  throw new SettingsError("cannot be written without changing other parts of it; it was not changed");
}

const WRITERS: Record<FileFormat, (tree: SettingsTree, changed: SettingsTree, old: string) => string> = {
  json: (tree, changed, old) =>
    isJson(old)
      ? JSON.stringify(changed, null, indentOf(old))
      : documents.json.editJsonc(old, changesBetween(tree, changed), indentOf(old)),
  yaml: (tree, changed, old) => documents.yaml.editYaml(old, changesBetween(tree, changed)),
};

/** Returns whether rewriting the whole file would lose nothing; a new file has nothing to lose. */
function isJson(text: string): boolean {
  if (text === "") return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(levels - 1, member));
}

function indentOf(text: string): string {
  return /^([ \t]+)"/m.exec(text)?.[1] ?? "  ";
}

async function withLock(path: string, work: () => void): Promise<void> {
  const lock = new LockFile(`${path}.lock`, { disk: systemDisk, process: describeProcess(), now: Date.now });
  for (let waitedMs = 0; lock.claim(); waitedMs += LOCK_POLL_MS) {
    if (waitedMs >= LOCK_LIMIT_MS) throw new SettingsError(`is locked by another process (${basename(path)}.lock)`);
    await Bun.sleep(LOCK_POLL_MS);
  }
  try {
    work();
  } finally {
    lock.release();
  }
}
