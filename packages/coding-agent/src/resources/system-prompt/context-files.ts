import { statSync } from "node:fs";
import { join } from "node:path";
import { cutToBytes, plainLine } from "@pintle/foundation";
import { ancestorsOf, findProjectRoot } from "../places/project-root.ts";
import { readTextFile } from "../places/read-text-file.ts";

/** An instruction file for agents, such as AGENTS.md. */
export interface ContextFile {
  path: string;
  content: string;
}

export interface ContextPlaces {
  cwd: string;
  /** pintle's own directory. */
  home: string;
  userHome: string;
  /** Whether links may lead out of the project. */
  isTrusted: boolean;
  warn(text: string): void;
}

/** File names. The first that exists in a directory wins. */
const NAMES = ["AGENTS.md", "AGENTS.MD", "CLAUDE.md", "CLAUDE.MD"];
const MAX_FILE_BYTES = 64 * 1024;
const MAX_TOTAL_BYTES = 256 * 1024;

/**
 * Returns the user's own file, then those from the outermost directory down to this one, because models weigh later text
 * more.
 */
export function findContextFiles(places: ContextPlaces): ContextFile[] {
  const { cwd, above, isRepository, boundary } = findProjectRoot(places.cwd, places.userHome);
  const outside = isRepository ? [] : ancestorsOf(cwd);
  const within = places.isTrusted ? undefined : boundary;
  const directories = [
    { directory: places.home },
    ...outside.toReversed().map((directory) => ({ directory, ownedLike: cwd })),
    ...[cwd, ...above].toReversed().map((directory) => ({ directory, within })),
  ];
  const found = new Map<string, FoundFile>();
  for (const directory of directories) {
    const file = firstIn(directory, places.warn);
    if (file && !found.has(file.realPath)) found.set(file.realPath, file);
  }
  return limitTotal([...found.values()]);
}

interface FoundFile extends ContextFile {
  realPath: string;
  /** Size of the whole file. The content may be only its beginning. */
  bytes: number;
}

interface ContextDirectory {
  directory: string;
  within?: string | undefined;
  /**
   * The project, for a directory above it. Any user may create files there, as in /tmp, so they must belong to the current
   * user or the project's owner.
   */
  ownedLike?: string;
}

function firstIn(
  { directory, within, ownedLike }: ContextDirectory,
  warn: ContextPlaces["warn"],
): FoundFile | undefined {
  for (const path of NAMES.map((name) => join(directory, name))) {
    const file = readTextFile(path, { maxBytes: MAX_FILE_BYTES, within });
    if (!file) continue;
    if ("problem" in file) {
      warn(`${plainLine(path)}: ${file.problem}`);
    } else if (ownedLike !== undefined && !isOursOrRoots(file.realPath, ownedLike)) {
      warn(`${plainLine(path)}: belongs to another user and is not used`);
    } else {
      const { realPath, text, bytes, isCut } = file;
      return { path, realPath, bytes, content: isCut ? `${text}\n${cutLine(path, MAX_FILE_BYTES, bytes)}` : text };
    }
  }
  return undefined;
}

function isOursOrRoots(path: string, project: string): boolean {
  const owner = statSync(path, { throwIfNoEntry: false })?.uid;
  return owner === 0 || owner === process.getuid?.() || owner === statSync(project, { throwIfNoEntry: false })?.uid;
}

/** Limits the total size, cutting the files of the outermost directories first. */
function limitTotal(files: readonly FoundFile[]): ContextFile[] {
  let left = MAX_TOTAL_BYTES;
  return files
    .toReversed()
    .map(({ path, content, bytes }) => {
      const text = cutToBytes(content, left);
      left = Math.max(0, left - Buffer.byteLength(content));
      if (text === content) return { path, content };
      return { path, content: `${text}\n${cutLine(path, Buffer.byteLength(text), bytes)}` };
    })
    .reverse();
}

function cutLine(path: string, shown: number, size: number): string {
  return `[Cut: ${kilobytes(shown)} of ${kilobytes(size)} KB are shown. The rest is in ${plainLine(path)}]`;
}

function kilobytes(bytes: number): string {
  return (bytes / 1024).toFixed(bytes % 1024 === 0 ? 0 : 1);
}
