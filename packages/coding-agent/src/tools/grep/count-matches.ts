import type { ToolResult } from "@pintle/agent";
import { comparePaths } from "../search/path-order.ts";
import { type RipgrepEnd, runRipgrep, type SearchContext } from "../search/ripgrep-run.ts";
import { explainRefusal, incompleteNotices, isRefusal } from "../search/search-faults.ts";
import type { HiddenHits } from "../search/search-root.ts";
import { countOf, grouped } from "../shared/plural.ts";
import { type OutputLimits, truncateHead } from "../shared/truncate.ts";
import type { GrepDetails } from "./execute.ts";
import type { Page } from "./ripgrep-arguments.ts";

interface FileCount {
  path: string;
  matches: number;
}

export interface MatchCounts {
  /** In path order. */
  files: FileCount[];
  end: RipgrepEnd;
}

/** Counts the matching lines of each file, with the options of the search itself. */
export async function countMatches(
  context: SearchContext,
  request: Parameters<typeof runRipgrep>[1],
  selects: (path: string) => boolean,
): Promise<MatchCounts> {
  const files: FileCount[] = [];
  const take = readCounts((file) => {
    if (file.matches > 0 && selects(file.path)) files.push(file);
  });
  const end = await runRipgrep(
    context,
    { ...request, args: ["--count", "--with-filename", "--null", ...request.args] },
    take,
  );
  if (isRefusal(end)) throw new Error(explainRefusal(end.complaints.text));
  return { files: files.sort((a, b) => comparePaths(a.path, b.path)), end };
}

export function totalMatches(files: readonly FileCount[]): number {
  return files.reduce((sum, { matches }) => sum + matches, 0);
}

/** Parses `path NUL count newline`. A path may contain a newline, a count may not. */
function readCounts(take: (file: FileCount) => void): (chunk: Uint8Array) => boolean {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    const bytes = Buffer.concat([rest, chunk]);
    let start = 0;
    for (;;) {
      const nul = bytes.indexOf(0, start);
      const newline = nul === -1 ? -1 : bytes.indexOf(0x0a, nul);
      if (newline === -1) break;
      take({ path: bytes.toString("utf8", start, nul), matches: Number(bytes.toString("latin1", nul + 1, newline)) });
      start = newline + 1;
    }
    rest = bytes.subarray(start);
    return true;
  };
}

interface ListOptions {
  output: "files" | "count";
  page: Page;
  limits: OutputLimits;
  hidden: HiddenHits;
  show(path: string): string;
}

/** Formats a page of the files with matches, one per line, or of `path: count`, and the totals. */
export function listCounts(
  { files, end }: MatchCounts,
  { output, page, limits, hidden, show }: ListOptions,
): ToolResult<GrepDetails> {
  const wanted = files.slice(page.offset, page.offset + page.limit);
  const lines = wanted.map(({ path, matches }) => (output === "files" ? show(path) : `${show(path)}: ${matches}`));
  const { text, truncation } = truncateHead(lines.join("\n"), limits);
  const shown = truncation?.outputLines ?? lines.length;
  const last = page.offset + shown;
  const total = `${countOf(totalMatches(files), "match")} in ${countOf(files.length, "file")}`;
  const nothing = page.offset > 0 ? `No files after the first ${files.length}.` : "No matches found.";
  const notices = [
    ...(output === "count" && shown > 0 ? [`[${total}.]`] : []),
    ...(last < files.length
      ? [
          `[${grouped(shown)} of ${countOf(files.length, "file")} are shown. Continue with offset=${last}, or narrow pattern, path or glob.]`,
        ]
      : []),
    ...hidden.notices,
    ...incompleteNotices({ hasTimedOut: end.hasTimedOut, unreadable: end.complaints.lines }),
  ];
  return {
    content: [
      { type: "text", text: [text || nothing, ...(notices.length > 0 ? [notices.join("\n")] : [])].join("\n\n") },
    ],
    details: {
      ...(last < files.length && !truncation && { matchLimitReached: page.limit }),
      ...(truncation && { truncation }),
    },
  };
}
