import { countLines, terminatedLines } from "@pintle/foundation";
import type { FileChange } from "@pintle/wire";
import { describeChange, limitHunks } from "../../file-changes/index.ts";
import { type FileBlock, groupByDirectory, shortLine } from "../ast/result-text.ts";
import { changedLines } from "../shared/line-hunks.ts";
import { plural } from "../shared/plural.ts";
import { formatBytes, type OutputLimits } from "../shared/truncate.ts";
import { type Edit, type PlannedFile, statesOf } from "./plan.ts";

const MAX_DIFF_BYTES = 51_200;
const CUT_NOTE = `[The diff is cut at ${formatBytes(MAX_DIFF_BYTES)}.]\n`;

/** The state of a file at the time of the preview. */
export interface Fingerprint {
  shown: string;
  size: number;
  hash: bigint;
  replacements: number;
}

export function fingerprint({ shown, source, edits }: PlannedFile): Fingerprint {
  return { shown, size: source.bytes.length, hash: BigInt(Bun.hash(source.bytes)), replacements: edits.length };
}

/** Collects the text of a preview, so that no file has to stay in memory. */
export class Preview {
  readonly files = new Map<string, Fingerprint>();
  readonly #changes: FileChange[] = [];
  readonly #blocks: FileBlock[] = [];
  #diff = "";
  #diffBytes = 0;
  #isDiffCut = false;
  readonly #maxLines: number;
  #lines = 0;

  /** Stops creating lines once the preview is full. */
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
    const change = describeChange({ path: file.shown, ...statesOf(file), sources: ["ast_edit"] });
    if (change) this.#changes.push(change);
  }

  get changes(): FileChange[] {
    return limitHunks(this.#changes);
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

const CONTEXT_LINES = 3;

/** A run of changed lines, without equal lines at either end. */
interface Change {
  /** 0-based index of the first old line. */
  at: number;
  before: readonly string[];
  after: readonly string[];
}

/** Builds the hunks of a unified diff from the edits, without comparing the two versions. */
export function diffHunks(source: string, edits: readonly Edit[]): string[] {
  const lines = terminatedLines(source);
  const hunks: string[] = [];
  let group: Change[] = [];
  let shift = 0; // net number of lines added before this hunk
  const flush = () => {
    if (group.length === 0) return;
    hunks.push(formatHunk(lines, group, shift));
    for (const { before, after } of group) shift += after.length - before.length;
    group = [];
  };
  for (const change of numberedChanges(source, edits)) {
    const last = group.at(-1);
    if (last && change.at - (last.at + last.before.length) > 2 * CONTEXT_LINES) flush();
    group.push(change);
  }
  flush();
  return hunks;
}

export function diffHeader(shownPath: string): string {
  const [before, after] = shownPath.startsWith("/") ? [shownPath, shownPath] : [`a/${shownPath}`, `b/${shownPath}`];
  return `--- ${before}\n+++ ${after}\n`;
}

/** Formats the hunks with their line numbers. */
function* numberedChanges(source: string, edits: readonly Edit[]): Generator<Change> {
  let line = 0;
  let position = 0;
  for (const { start, end, removed, added } of changedLines(source, edits)) {
    line += countLines(source.slice(position, start));
    yield { at: line, before: removed, after: added };
    line += removed.length;
    position = end;
  }
}

function formatHunk(lines: readonly string[], changes: readonly Change[], shift: number): string {
  const first = changes[0]!;
  const last = changes.at(-1)!;
  const from = Math.max(0, first.at - CONTEXT_LINES);
  const to = Math.min(lines.length, last.at + last.before.length + CONTEXT_LINES);
  const body: string[] = [];
  let next = from;
  let added = 0;
  for (const { at, before, after } of changes) {
    body.push(...lines.slice(next, at).map((line) => mark(" ", line)));
    body.push(...before.map((line) => mark("-", line)), ...after.map((line) => mark("+", line)));
    next = at + before.length;
    added += after.length - before.length;
  }
  body.push(...lines.slice(next, to).map((line) => mark(" ", line)));
  const count = to - from;
  return `@@ -${span(from, count)} +${span(from + shift, count + added)} @@\n${body.join("")}`;
}

function mark(sign: string, line: string): string {
  return line.endsWith("\n") ? sign + line : `${sign}${line}\n\\ No newline at end of file\n`;
}

/** Formats a range of a hunk header. An empty range has the number of the line before it. */
function span(from: number, count: number): string {
  return count === 0 ? `${from},0` : `${from + 1},${count}`;
}
