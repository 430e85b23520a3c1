import { type DiffLine, parseDiff } from "@pintle/page/diff";
import type { Style, Theme } from "../screen/theme.ts";
import { shownText } from "../text/shown-text.ts";
import { wrapped } from "../text/wrap.ts";

/** Unchanged lines around a change in a short diff. */
const CONTEXT = 2;
const GAP = "⋯";
/** In a narrower window, only changed lines have a number. */
const MIN_ROOM = 24;

export interface DiffCounts {
  added: number;
  removed: number;
}

/** A diff with a gutter of line numbers, ready to be laid out at any width. */
export class DiffRows {
  readonly #lines: readonly DiffLine[];
  readonly #theme: Theme;

  constructor(diff: string, theme: Theme) {
    this.#lines = parseDiff(shownText(diff.trimEnd()));
    this.#theme = theme;
  }

  get counts(): DiffCounts {
    const count = (kind: DiffLine["kind"]) => this.#lines.filter((line) => line.kind === kind).length;
    return { added: count("added"), removed: count("removed") };
  }

  /** Lays out every line. */
  all(width: number): string[] {
    return this.#rows(this.#lines, width);
  }

  /** Lays out the changes with little context, and at most this many lines. Also returns how many lines it left out. */
  short(width: number, maxLines: number): { rows: string[]; hidden: number } {
    const near = withLittleContext(this.#lines);
    const shown = near.slice(0, maxLines);
    return { rows: this.#rows(shown, width), hidden: near.length - shown.length };
  }

  #rows(lines: readonly DiffLine[], width: number): string[] {
    const digits = Math.max(1, ...lines.map((line) => String(numberOf(line) ?? "").length));
    const gutter = width - digits - 3 >= MIN_ROOM ? digits + 1 : 0;
    return blocksOf(lines).flatMap((block) =>
      Array.isArray(block) ? this.#changeRows(block, gutter, width) : this.#lineRows(block, gutter, width),
    );
  }

  /** Rows for a block of removed lines and the added ones after it: of as many as both have, changed words are marked. */
  #changeRows(block: readonly DiffLine[], gutter: number, width: number): string[] {
    const removed = block.filter(({ kind }) => kind === "removed");
    const added = block.filter(({ kind }) => kind === "added");
    const pairs =
      removed.length === added.length ? removed.map(({ text }, i) => changedParts(text, added[i]!.text)) : [];
    return [
      ...removed.flatMap((line, i) => this.#lineRows(line, gutter, width, pairs[i]?.before)),
      ...added.flatMap((line, i) => this.#lineRows(line, gutter, width, pairs[i]?.after)),
    ];
  }

  #lineRows(line: DiffLine, gutter: number, width: number, parts?: readonly Part[]): string[] {
    const { dim, bold } = this.#theme;
    if (line.kind === "gap") return [dim(`${" ".repeat(Math.max(0, gutter - 2))}${GAP} ${line.text}`.trimEnd())];
    if (line.kind === "file") return [bold(line.text)];
    const look = this.#look(line.kind);
    const number = gutter === 0 ? "" : `${String(numberOf(line) ?? "").padStart(gutter - 1)} `;
    const text = parts
      ? parts.map((part) => (part.isChanged ? look.changed(part.text) : part.text)).join("")
      : line.text;
    const rows = wrapped(text, Math.max(1, width - gutter - 2));
    return rows.map((row, index) => {
      const start = index === 0 ? `${dim(number)}${look.text(look.sign)}` : `${" ".repeat(gutter)} `;
      return look.row(`${start} ${look.text(row)}`);
    });
  }

  #look(kind: "same" | "added" | "removed"): { sign: string; text: Style; row: Style; changed: Style } {
    const { theme } = { theme: this.#theme };
    const plain: Style = (text) => text;
    if (kind === "same") return { sign: " ", text: theme.dim, row: plain, changed: plain };
    const sign = kind === "added" ? "+" : "-";
    return { sign, text: theme[kind], row: theme.row(kind), changed: theme.changed(kind) };
  }
}

function numberOf(line: DiffLine): number | undefined {
  if (line.kind === "removed") return line.oldNumber;
  return line.kind === "added" || line.kind === "same" ? line.newNumber : undefined;
}

/** Groups each run of changed lines; the others stay single. */
function blocksOf(lines: readonly DiffLine[]): (DiffLine | DiffLine[])[] {
  const blocks: (DiffLine | DiffLine[])[] = [];
  for (const line of lines) {
    const last = blocks.at(-1);
    const isChange = line.kind === "removed" || line.kind === "added";
    // A removed line after an added one begins the next change.
    if (isChange && Array.isArray(last) && !(line.kind === "removed" && last.at(-1)?.kind === "added")) last.push(line);
    else blocks.push(isChange ? [line] : line);
  }
  return blocks;
}

/** Replaces unchanged lines that are far from every change by one gap. */
function withLittleContext(lines: readonly DiffLine[]): DiffLine[] {
  const isNear = (index: number) =>
    lines
      .slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1)
      .some(({ kind }) => kind === "added" || kind === "removed");
  const kept: DiffLine[] = [];
  for (const [index, line] of lines.entries()) {
    const isFar = line.kind === "gap" ? line.text === "" : line.kind === "same" && !isNear(index);
    if (!isFar) kept.push(line);
    else if (kept.length > 0 && kept.at(-1)?.kind !== "gap") kept.push({ kind: "gap", text: "" });
  }
  if (kept.at(-1)?.kind === "gap" && kept.at(-1)?.text === "") kept.pop();
  return kept;
}

interface Part {
  text: string;
  isChanged: boolean;
}

const WORD = /[\p{L}\p{N}_]+|\s+|./gsu;
/** Lines that share less than this are different lines: marks on all of their words would say nothing. */
const MIN_SHARED = 0.3;

/**
 * Finds the words that differ between two versions of a line: everything between the words that both begin with and those
 * that both end with. Returns undefined if the lines have too little in common.
 */
export function changedParts(before: string, after: string): { before: Part[]; after: Part[] } | undefined {
  const one = before.match(WORD) ?? [];
  const other = after.match(WORD) ?? [];
  const shortest = Math.min(one.length, other.length);
  let start = 0;
  while (start < shortest && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < shortest - start && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  const shared = [...one.slice(0, start), ...one.slice(one.length - end)].join("").trim().length;
  if (shared < MIN_SHARED * Math.max(before.trim().length, after.trim().length)) return undefined;
  return { before: partsOf(one, start, end), after: partsOf(other, start, end) };
}

function partsOf(words: readonly string[], start: number, end: number): Part[] {
  const parts = [
    { text: words.slice(0, start).join(""), isChanged: false },
    { text: words.slice(start, words.length - end).join(""), isChanged: true },
    { text: words.slice(words.length - end).join(""), isChanged: false },
  ];
  return parts.filter(({ text }) => text !== "");
}
