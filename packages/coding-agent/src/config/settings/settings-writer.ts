import { closeSync, lstatSync, mkdirSync, openSync, realpathSync, rmSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { replaceFile } from "../../files/replace-file.ts";
import { errorCode, type FileFormat, formatOf } from "../config-text.ts";
import { SettingsError } from "./settings-error.ts";
import { parseSettings, readSettingsFile } from "./settings-file.ts";
import type { SettingsTree } from "./settings-tree.ts";

const LOCK_POLL_MS = 20;
const LOCK_LIMIT_MS = 5_000;
/** A lock is held while one small file is written; who holds it longer than this has died. Shorter than the wait for it. */
const LOCK_STALE_MS = 3_000;
/** Indented text grows with the square of the depth: a small file could become gigabytes. */
const MAX_DEPTH = 100;

/**
 * Changes what is in the file at that moment, so that processes that change different keys do not undo each other. The
 * file is replaced in one step; one that cannot be read stays as it is. Throws SettingsError. `change` runs in the same
 * tick as the writing.
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
 * Many people keep their settings elsewhere and link to them: the link stays. Nothing else is looked up: the runtime asks the
 * system for the name of an open file, and one that is replaced at that moment has none any more.
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
  const content = Buffer.from(toText(changed, format, file?.text ?? ""));
  replaceFile(path, { content, mode: 0o600, fsync: true, isPrivate });
}

function toText(tree: SettingsTree, format: FileFormat, old: string): string {
  if (format === "yaml" && /(^|\s)#/.test(old)) {
    throw new SettingsError("has comments, which would be lost; change it by hand, or use settings.json");
  }
  const text = format === "yaml" ? Bun.YAML.stringify(tree, null, 2) : JSON.stringify(tree, null, indentOf(old));
  const again = parseSettings(text, format);
  if ("tree" in again && Bun.deepEquals(again.tree, tree)) return `${text}\n`;
  throw new SettingsError("cannot be written without changing other parts of it; it was not changed");
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(levels - 1, member));
}

function indentOf(text: string): string {
  return /^([ \t]+)"/m.exec(text)?.[1] ?? "  ";
}

async function withLock(path: string, work: () => void): Promise<void> {
  const lock = `${path}.lock`;
  for (let waitedMs = 0; !takeLock(lock); waitedMs += LOCK_POLL_MS) {
    if (waitedMs >= LOCK_LIMIT_MS) throw new SettingsError(`is locked by another process (${basename(lock)})`);
    await Bun.sleep(LOCK_POLL_MS);
  }
  try {
    work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function takeLock(lock: string): boolean {
  try {
    closeSync(openSync(lock, "wx", 0o600));
    return true;
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
  const held = statSync(lock, { throwIfNoEntry: false });
  if (held && Math.abs(Date.now() - held.mtimeMs) > LOCK_STALE_MS) rmSync(lock, { force: true });
  return false;
}
