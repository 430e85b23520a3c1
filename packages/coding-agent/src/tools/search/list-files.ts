import { nameSelection } from "./name-selection.ts";
import { comparePaths } from "./path-order.ts";
import { readPaths } from "./path-stream.ts";
import { runRipgrep, type SearchContext } from "./ripgrep-run.ts";
import { explainRefusal, isBadGlob } from "./search-refusal.ts";

export interface FileRequest {
  /** Absolute paths of files and directories. What is named here is taken even if it is ignored, hidden or a link. */
  roots: readonly string[];
  /** How many entries there may be. */
  limit: number;
  signal: AbortSignal;
  /** Leaves out `node_modules` below the roots also where no .gitignore does. */
  skipsNodeModules?: boolean;
  /** A glob without which ripgrep would list more; what it lists need not match all of it. */
  glob?: string;
}

export interface FileListing {
  /** Absolute, in path order, each once. */
  paths: string[];
  /** There are more than the limit allows; `paths` are the first ones. */
  isCut: boolean;
  /** The time limit was reached; files may be missing. */
  hasTimedOut: boolean;
  /** Paths that could not be read (no permission, gone meanwhile). */
  unreadable: number;
  /** Files left out because their names are not UTF-8: no string could name them. */
  unnameable: number;
}

/** The files below the roots as ripgrep sees them: .gitignore kept, hidden files included, `.git` and links left out. */
export function listFiles(
  context: SearchContext,
  request: FileRequest & { accepts?: (path: string) => boolean },
): Promise<FileListing> {
  const { accepts = () => true } = request;
  return listEntries(context, request, (path) => (accepts(path) ? [path] : []));
}

/** As `listFiles`, for whatever `entriesOf` makes of each file. */
export async function listEntries(
  context: SearchContext,
  request: FileRequest,
  entriesOf: (path: string) => readonly string[],
): Promise<FileListing> {
  // Path order means one thread for ripgrep. It is needed only to know which are the first of too many.
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
