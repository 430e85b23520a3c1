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

/** Something that exists only while commands run, because a mount needs a place to be put over. */
export interface Placeholder {
  path: string;
  isDirectory: boolean;
  content: string;
}

/** A link that must be there when no command runs any more. */
export interface KeptLink {
  path: string;
  target: string;
}

/** What is to be removed or put back when no command runs any more; written before anything is made. */
export interface Journal {
  /** Parents before children. */
  made: readonly Placeholder[];
  /** Files that a command may have made and that must not stay. */
  redirects: readonly string[];
  links: readonly KeptLink[];
}

export function writeJournal(path: string, journal: Journal): void {
  writeFileSync(path, JSON.stringify(journal), { flag: "wx", mode: 0o600 });
}

/**
 * Removes what the journal names and is still as it was made, puts links back, then removes the journal. What others have put there
 * stays.
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
  return { made: [], redirects: [], links: [] }; // cut short by a kill, before anything was made
}

export function makePlaceholder({ path, isDirectory, content }: Placeholder): void {
  try {
    if (isDirectory) mkdirSync(path, { mode: 0o700 });
    else writeFileSync(path, content, { flag: "wx", mode: 0o600 });
  } catch (error) {
    // Where we cannot make anything a command, with fewer rights, cannot either; and another command may have been faster.
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

/** The name that a file gets which a command has put in the place of a link: nothing reads it at a start, and nothing is lost. */
export const REPLACED = ".replaced-by-command";

function putBack({ path, target }: KeptLink): void {
  try {
    if (realpathSync.native(dirname(path)) !== dirname(path)) return; // another directory is in that place now
    if (lstatSync(path, { throwIfNoEntry: false })) {
      if (lstatSync(path).isSymbolicLink() && readlinkSync(path) === target) return;
      renameSync(path, `${path}${REPLACED}-${crypto.randomUUID().slice(0, 8)}`);
    }
    symlinkSync(target, path);
  } catch (error) {
    if (!isSystemError(error)) throw error; // its directory is gone, and with it what could act
  }
}
