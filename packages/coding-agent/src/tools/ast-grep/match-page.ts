import { type FileBlock, plural } from "../ast/file-groups.ts";
import type { ScannedFile } from "../ast/scan.ts";
import { matchLines } from "./match-lines.ts";
import { matchesIn } from "./matches.ts";

export interface PageRequest {
  patterns: readonly string[];
  /** Matches to pass over. */
  offset: number;
  /** Matches to keep. */
  limit: number;
  maxFiles: number;
  /** Lines around each match. */
  context: number;
}

/** The matches from `offset` on, as many as asked for. */
export class MatchPage {
  readonly blocks: (FileBlock & { count: number })[] = [];
  readonly request: PageRequest;
  #seen = 0;
  #isFull = false;

  constructor(request: PageRequest) {
    this.request = request;
  }

  /** How many were found, shown or not. */
  get seen(): number {
    return this.#seen;
  }

  /** There is more than was asked for. */
  get isFull(): boolean {
    return this.#isFull;
  }

  get count(): number {
    return this.blocks.reduce((sum, { count }) => sum + count, 0);
  }

  /** False: enough. */
  add(file: ScannedFile): boolean {
    const { patterns, offset, limit, maxFiles, context } = this.request;
    const found = matchesIn(file, patterns);
    const wanted = found.slice(Math.max(0, offset - this.#seen), Math.max(0, offset + limit - this.#seen));
    const hasRoom = this.blocks.length < maxFiles;
    this.#seen += found.length;
    this.#isFull = this.#seen > offset + limit || (wanted.length > 0 && !hasRoom);
    if (wanted.length > 0 && hasRoom) {
      const lines = matchLines(
        file.source.text,
        wanted.map((describe) => describe()),
        context,
      );
      this.blocks.push({ path: file.shown, summary: plural(wanted.length, "match"), lines, count: wanted.length });
    }
    return !this.#isFull;
  }
}
