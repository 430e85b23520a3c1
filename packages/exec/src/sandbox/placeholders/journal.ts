import {
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { errorCode, isSystemError } from "@pintle/foundation";

/** A placeholder that exists only while commands run, because a mount needs something to be mounted on. */
export interface Placeholder {
  path: string;
  isDirectory: boolean;
  content: string;
}

/** A link that must exist once no command is running. */
export interface KeptLink {
  path: string;
  target: string;
}

/** Lists what to remove or restore once no command is running. Written before anything is created. */
export interface Journal {
  /** Parents before children. */
  made: readonly Placeholder[];
  /** Files that a command may have created and that must not remain. */
  redirects: readonly string[];
  links: readonly KeptLink[];
}

export function writeJournal(path: string, journal: Journal): void {
  writeFileSync(path, JSON.stringify(journal), { flag: "wx", mode: 0o600 });
}

/**
 * Removes what the journal names if it is unchanged, restores links, then removes the journal. Leaves what other programs have
 * created there.
 */
export function cleanUp(journalPath: string): void {
  const { made, redirects, links } = readJournal(journalPath);
  for (const placeholder of made.toReversed()) removePlaceholder(placeholder);
  for (const path of redirects) rmSync(path, { recursive: true, force: true });
  for (const link of links) putBack(link);
  rmSync(journalPath, { force: true });
}

function readJournal(path: string): Journal {
  try {
    const { made, redirects, links = [] }: Partial<Journal> = JSON.parse(readFileSync(path, "utf8"));
    if (Array.isArray(made) && Array.isArray(redirects) && Array.isArray(links)) return { made, redirects, links };
  } catch (error) {
    if (!isSystemError(error) && !(error instanceof SyntaxError)) throw error;
  }
  return { made: [], redirects: [], links: [] }; // pintle was killed while writing it, before anything was created
}

export function makePlaceholder({ path, isDirectory, content }: Placeholder): void {
  try {
    if (isDirectory) mkdirSync(path, { mode: 0o700 });
    else writeFileSync(path, content, { flag: "wx", mode: 0o600 });
  } catch (error) {
    // Where we cannot create anything, a command, with fewer rights, cannot either; or another command was faster.
    if (!["EACCES", "EROFS", "EEXIST", "EPERM"].includes(errorCode(error) ?? "")) throw error;
  }
}

function removePlaceholder({ path, isDirectory, content }: Placeholder): void {
  try {
    if (isDirectory) rmdirSync(path);
    else if (lstatSync(path).isFile() && readFileSync(path, "utf8") === content) unlinkSync(path);
  } catch (error) {
    if (!isSystemError(error)) throw error; // removed already, or in use by another program
  }
}

/** The name for a file with which a command has replaced a link: no program reads it at start-up, and nothing is lost. */
export const REPLACED = ".replaced-by-command";

function putBack({ path, target }: KeptLink): void {
  try {
    if (realpathSync.native(dirname(path)) !== dirname(path)) return; // another directory has replaced it
    if (lstatSync(path, { throwIfNoEntry: false })) {
      if (lstatSync(path).isSymbolicLink() && readlinkSync(path) === target) return;
      renameSync(path, `${path}${REPLACED}-${crypto.randomUUID().slice(0, 8)}`);
    }
    symlinkSync(target, path);
  } catch (error) {
    if (!isSystemError(error)) throw error; // its directory is gone, and with it anything that could take effect
  }
}
