import { nameSelection } from "./globs.ts";
import { comparePaths } from "./path-order.ts";
import { runRipgrep, type SearchContext } from "./ripgrep-run.ts";
import { explainRefusal, isBadGlob } from "./search-faults.ts";

export interface FileRequest {
  /** Absolute paths of files and directories to list, even if they are ignored, hidden or links. */
  roots: readonly string[];
  /** Maximum number of entries. */
  limit: number;
  signal: AbortSignal;
  /** Excludes `node_modules` below the roots even if no .gitignore does. */
  skipsNodeModules?: boolean;
  /** Continues past the limit to count the entries. */
  countsAll?: boolean;
  /** A glob that ripgrep uses to preselect files. The result may contain files that it does not match. */
  glob?: string;
}

export interface FileListing {
  /** Absolute paths in path order, without duplicates. */
  paths: string[];
  /** Whether there are more than the limit. `paths` then has the first ones. */
  isCut: boolean;
  /** The total, if it was requested and could be counted. */
  total?: number;
  /** Whether the time limit was reached, so files may be missing. */
  hasTimedOut: boolean;
  /** Paths that could not be read (no permission, or deleted in the meantime). */
  unreadable: number;
  /** Number of files omitted because their names are not UTF-8, so no string can name them. */
  unnameable: number;
}

/** Counting further does not help the model. */
const MAX_COUNTED = 100_000;

/**
 * Lists the files below the roots as ripgrep sees them: respects .gitignore, includes hidden files, and excludes `.git` and
 * links.
 */
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
  // Path order limits ripgrep to one thread. It is needed only if there are too many files, to find the first ones.
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
  /** Whether the name is UTF-8. Otherwise `path` is only similar to it. */
  isExact: boolean;
}

const NUL = 0;
const REPLACEMENT = "\ufffd";

/**
 * Splits the output of `rg --files --null` into paths. Decodes chunk by chunk, because there may be a million paths. Stops
 * when `take` returns false.
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
