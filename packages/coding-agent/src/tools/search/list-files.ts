import { nameSelection } from "./globs.ts";
import { comparePaths } from "./path-order.ts";
import { runRipgrep, type SearchContext } from "./ripgrep-run.ts";
import { explainRefusal, isBadGlob } from "./search-faults.ts";

export interface FileRequest {
  /** Absolute paths of files and directories, which are listed even if they are ignored, hidden or links. */
  roots: readonly string[];
  /** Maximum number of entries. */
  limit: number;
  signal: AbortSignal;
  /** Leaves out `node_modules` below the roots even if no .gitignore does. */
  skipsNodeModules?: boolean;
  /** Continues after the limit, to count the entries. */
  countsAll?: boolean;
  /** A glob by which ripgrep preselects files; the result may contain files that it does not match. */
  glob?: string;
}

export interface FileListing {
  /** Absolute, in path order, each once. */
  paths: string[];
  /** Whether there are more than the limit; `paths` are the first ones. */
  isCut: boolean;
  /** The total, if it was requested and could be counted. */
  total?: number;
  /** Whether the time limit was reached, so that files may be missing. */
  hasTimedOut: boolean;
  /** Paths that could not be read (no permission, gone meanwhile). */
  unreadable: number;
  /** Files left out because their names are not UTF-8: no string could name them. */
  unnameable: number;
}

/** Counting further does not help. */
const MAX_COUNTED = 100_000;

/** The files below the roots as ripgrep sees them: .gitignore kept, hidden files included, `.git` and links left out. */
export function listFiles(
  context: SearchContext,
  request: FileRequest & { accepts?: (path: string) => boolean },
): Promise<FileListing> {
  const { accepts = () => true } = request;
  return listEntries(context, request, (path) => (accepts(path) ? [path] : []));
}

/** Like `listFiles`, for the entries that `entriesOf` returns for each file. */
export async function listEntries(
  context: SearchContext,
  request: FileRequest,
  entriesOf: (path: string) => readonly string[],
): Promise<FileListing> {
  if (request.countsAll) {
    const all = await collect(context, { ...request, limit: MAX_COUNTED }, entriesOf, []);
    if (!all.isCut) {
      const { length } = all.paths;
      return { ...all, paths: all.paths.slice(0, request.limit), isCut: length > request.limit, total: length };
    }
  }
  // Path order limits ripgrep to one thread. It is needed only to know which of too many files come first.
  const listing = await collect(context, request, entriesOf, []);
  return listing.isCut ? collect(context, request, entriesOf, ["--sort=path"]) : listing;
}

async function collect(
  context: SearchContext,
  { roots, limit, signal, skipsNodeModules, glob }: FileRequest,
  entriesOf: (path: string) => readonly string[],
  order: readonly string[],
): Promise<FileListing> {
  const found = new Set<string>();
  let isCut = false;
  let unnameable = 0;
  const takeChunk = readPaths(({ path, isExact }) => {
    for (const entry of entriesOf(path)) {
      if (!isExact) unnameable += 1;
      else if (found.size < limit) found.add(entry);
      else isCut ||= !found.has(entry);
    }
    return !isCut;
  });
  const args = [
    "--files",
    "--null",
    ...(skipsNodeModules ? ["--glob=!node_modules"] : []),
    ...(glob === undefined ? [] : nameSelection(glob)),
    ...order,
  ];
  const end = await runRipgrep(context, { args, roots, signal }, takeChunk);
  if (isBadGlob(end)) throw new Error(explainRefusal(end.complaints.text));
  const paths = [...found].sort(comparePaths);
  return { paths, isCut, hasTimedOut: end.hasTimedOut, unreadable: end.complaints.lines, unnameable };
}

export interface ListedPath {
  path: string;
  /** Whether the name is UTF-8; otherwise `path` is only similar to it. */
  isExact: boolean;
}

const NUL = 0;
const REPLACEMENT = "\ufffd";

/**
 * Cuts the output of `rg --files --null` into paths. A million of them may come, so they are decoded by the chunk. `take`
 * returns false when it has enough.
 */
export function readPaths(take: (listed: ListedPath) => boolean): (chunk: Uint8Array) => boolean {
  let rest: Uint8Array = new Uint8Array(0);
  return (chunk) => {
    const end = chunk.lastIndexOf(NUL);
    if (end === -1) {
      rest = Buffer.concat([rest, chunk]);
      return true;
    }
    const whole = rest.length > 0 ? Buffer.concat([rest, chunk.subarray(0, end)]) : chunk.subarray(0, end);
    rest = new Uint8Array(chunk.subarray(end + 1)); // a copy, because the chunk's memory may be reused
    return decodePaths(whole).every(take);
  };
}

function decodePaths(bytes: Uint8Array): ListedPath[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = buffer.toString();
  const mayBeWrong = text.includes(REPLACEMENT);
  let start = 0;
  return text.split("\0").map((path) => {
    if (!mayBeWrong) return { path, isExact: true };
    const nul = buffer.indexOf(NUL, start);
    const raw = buffer.subarray(start, nul === -1 ? undefined : nul);
    start += raw.length + 1;
    return { path, isExact: Buffer.from(path).equals(raw) };
  });
}
