import { type FileBlock, groupByDirectory, plural } from "../ast/file-groups.ts";
import { shortLine } from "../ast/short-line.ts";
import { formatBytes, type OutputLimits } from "../shared/truncate.ts";
import type { PlannedFile } from "./plan.ts";
import { diffHeader, diffHunks } from "./unified-diff.ts";

const MAX_DIFF_BYTES = 51_200;
const CUT_NOTE = `[The diff is cut at ${formatBytes(MAX_DIFF_BYTES)}.]\n`;

/** What a file was when the preview was made. */
export interface Fingerprint {
  shown: string;
  size: number;
  hash: bigint;
  replacements: number;
}

export function fingerprint({ shown, source, edits }: PlannedFile): Fingerprint {
  return { shown, size: source.bytes.length, hash: BigInt(Bun.hash(source.bytes)), replacements: edits.length };
}

/** Collects what a preview shows, so that no file has to be kept in memory. */
export class Preview {
  readonly files = new Map<string, Fingerprint>();
  readonly #blocks: FileBlock[] = [];
  #diff = "";
  #diffBytes = 0;
  #isDiffCut = false;
  readonly #maxLines: number;
  #lines = 0;

  /** Lines beyond the number that can be shown are not made. */
  constructor({ maxLines }: Pick<OutputLimits, "maxLines">) {
    this.#maxLines = maxLines;
  }

  add(file: PlannedFile): void {
    this.files.set(file.path, fingerprint(file));
    const shown = file.edits.slice(0, Math.max(0, this.#maxLines - this.#lines));
    const lines = shown.flatMap((edit) => editLines(file.source.text, edit));
    this.#lines += lines.length;
    this.#blocks.push({ path: file.shown, summary: plural(file.edits.length, "replacement"), lines });
    this.#addDiff(file);
  }

  get replacements(): number {
    return this.fileReplacements.reduce((sum, { count }) => sum + count, 0);
  }

  get fileReplacements(): { path: string; count: number }[] {
    return [...this.files.values()].map(({ shown, replacements }) => ({ path: shown, count: replacements }));
  }

  get diff(): string {
    return this.#diff + (this.#isDiffCut ? CUT_NOTE : "");
  }

  toText(hasHeadings: boolean): string {
    return hasHeadings ? groupByDirectory(this.#blocks) : this.#blocks.flatMap(({ lines }) => lines).join("\n");
  }

  #addDiff({ shown, source, edits }: PlannedFile): void {
    if (this.#isDiffCut) return;
    let head = diffHeader(shown);
    for (const hunk of diffHunks(source.text, edits)) {
      const bytes = Buffer.byteLength(head + hunk);
      this.#isDiffCut = this.#diffBytes + bytes > MAX_DIFF_BYTES - CUT_NOTE.length;
      if (this.#isDiffCut) return;
      this.#diff += head + hunk;
      this.#diffBytes += bytes;
      head = "";
    }
  }
}

function editLines(source: string, { start, end, text, line, column }: PlannedFile["edits"][number]): string[] {
  return [
    `-${line}:${column} ${shortLine(source.slice(start, end))}`,
    `+${line}:${column} ${shortLine(text)}`.trimEnd(),
  ];
}
