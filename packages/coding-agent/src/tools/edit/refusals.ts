import { cutText } from "@pintle/ai";
import { blockOf, type FileLines, findLines } from "./find-lines.ts";

/** Returns `edits[2].oldText`, or the plain field name if there is only one edit. */
export function editField(field: string, index: number, total: number): string {
  return total > 1 ? `edits[${index}].${field}` : field;
}

export function emptyText(field: string): string {
  return `${field} is empty. Give the text to replace. To insert text, include an adjacent line in both. For a new file, use write.`;
}

export function unchangedText(shownPath: string, index: number, total: number, numbers?: LineRange): string {
  const edit = total > 1 ? `edits[${index}]` : "The edit";
  const there = numbers
    ? `${rangeInWords(numbers)} would stay as ${isOne(numbers) ? "it is" : "they are"}`
    : "oldText and newText are the same";
  return `${edit} changes nothing in ${shownPath}: ${there}. Change newText, or omit the edit.`;
}

interface SeveralFacts {
  field: string;
  shownPath: string;
  /** `1000 or more`. */
  count: string;
  /** Describes how the places differ from the text; empty for exact matches. */
  matchNote: string;
  /** The places, each with a line that distinguishes it. */
  places: string;
}

export function severalText({ field, shownPath, count, matchNote, places }: SeveralFacts): string {
  const spelled = matchNote === "" ? "" : ` (${matchNote})`;
  return `${field} has ${count} occurrences in ${shownPath}${spelled}: ${places}. Add lines around it until it is unique, or set replaceAll to replace all of them.`;
}

/** Prefixes the reason if a call has several edits, because the model may assume that the others were applied. */
export function noneAppliedText(total: number, reason: string): string {
  return `None of the ${total} edits was applied. ${reason}`;
}

export function overlapText(shownPath: string, indexes: readonly [number, number]): string {
  return `edits[${indexes[0]}] and edits[${indexes[1]}] overlap in ${shownPath}. Combine them into one edit.`;
}

export function unclearText(
  field: string,
  shownPath: string,
  numbers: LineRange,
  matchNote: string,
  reason: string,
): string {
  const differs = matchNote === "" ? "" : ` ${matchNote}`;
  return `${field} matches ${rangeInWords(numbers)} of ${shownPath} only${differs}, and it is unclear how to apply the edit (${reason}). Nothing was changed. Repeat the edit with the exact text of ${rangeInWords(numbers)}:`;
}

export function placeholderText(
  field: string,
  shownPath: string,
  { number, line }: { number: number; line: string },
): string {
  return `Line ${number} of ${field} is a placeholder (${line}), which is not in ${shownPath}. Write out the whole text, or make several small edits around the parts that stay.`;
}

export interface LineRange {
  first: number;
  last: number;
}

export function rangeInWords({ first, last }: LineRange): string {
  return first === last ? `line ${first}` : `lines ${first}-${last}`;
}

function isOne({ first, last }: LineRange): boolean {
  return first === last;
}

export const MAX_DESCRIBED = 8;
const MAX_DISTANCE = 40;
const MAX_LINE = 80;

/**
 * Lists places by line number, each with the nearest line that distinguishes it from the others. Including that line makes
 * the old text unique.
 */
export function describePlaces(
  text: string,
  numbers: readonly number[],
  { height, total }: { height: number; total: number },
): string {
  const lines = text.split("\n");
  const described = numbers.slice(0, MAX_DESCRIBED);
  const shown = [...new Set(described)];
  const telling = tellingLines(lines, shown, height);
  const list = shown.map((number, index) => {
    const line = telling?.[index];
    const times = described.filter((other) => other === number).length;
    if (times > 1) return `line ${number} (${times} times)`;
    return line ? `line ${number} (line ${line.number}: ${cutText(line.text, MAX_LINE)})` : `line ${number}`;
  });
  const rest = total - described.length;
  return `${list.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

interface TellingLine {
  number: number;
  text: string;
}

/** Returns the surrounding lines, all at the same distance, that differ most. Undefined if all surroundings are the same. */
function tellingLines(lines: readonly string[], numbers: readonly number[], height: number): TellingLine[] | undefined {
  let best: { kinds: number; found: TellingLine[] } | undefined;
  for (let distance = 1; distance <= MAX_DISTANCE; distance += 1) {
    for (const offset of [-distance, height - 1 + distance]) {
      const found = numbers.map((number) => ({
        number: number + offset,
        text: lines[number + offset - 1]?.trim() ?? "",
      }));
      if (found.some(({ text }) => text === "")) continue;
      const kinds = new Set(found.map(({ text }) => text)).size;
      if (kinds > (best?.kinds ?? 1)) best = { kinds, found };
      if (kinds === numbers.length) return found;
    }
  }
  return best?.found;
}

/** Phrases that models write in place of omitted text. */
const LEFT_OUT =
  /^(?:the )?(?:rest|remaining|remainder|existing|previous|other|same|unchanged|omitted|snip)\b.{0,50}$/i;
/** Without dots, only these phrases are certain to be placeholders; others may be ordinary comments. */
const LEFT_OUT_FOR_CERTAIN =
  /\b(?:unchanged|omitted|as before|stays? the same|remains? the same)$|\brest of (?:the )?(?:code|file|class|function|method|component|content|implementation)\b|^existing \w+$/i;
const DOTS = /^(?:\.{3}|…)|(?:\.{3}|…)$/;
const COMMENT = /^(?:\/\/+|#+|--+|;+|%+|\/\*+|<!--|\{\/\*|\*|"""|''')\s*(.*?)\s*(?:\*\/\}?|-->|"""|''')?$/;
const ONLY_DOTS = /^(?:\.{3,}|…|\[\.{3}\]|\(\.{3}\)|\[…\]|\{\s*\.{3}\s*\})$/;

/** Finds the first line (1-based) that stands for omitted lines and does not occur in the file. */
export function findPlaceholder(text: string, file: string): { number: number; line: string } | undefined {
  const lines = text.split("\n");
  for (const [index, raw] of lines.entries()) {
    const line = raw.trim();
    if (line === "" || !isPlaceholder(line) || isBody(line, lines, index)) continue;
    if (!hasLine(file, line)) return { number: index + 1, line };
  }
  return undefined;
}

/** More places than this are not compared. */
const MAX_PLACES = 50;

/**
 * Finds the lines that a placeholder in this line of the text stands for: those between the text before it and the text
 * after it. Returns undefined unless both occur exactly once.
 */
export function omittedLines(file: FileLines, text: string, placeholder: number): LineRange | undefined {
  const written = text.split("\n");
  const rest = written.slice(placeholder).join("\n");
  const next = findPlaceholder(rest, file.text)?.number ?? written.length + 1;
  const above = normalsOf(written.slice(0, placeholder - 1));
  const below = normalsOf(rest.split("\n").slice(0, next - 1));
  if (above.length === 0 || below.length === 0) return undefined;
  const [head, ...otherHeads] = findLines(file.normals, above, MAX_PLACES).places;
  if (!head || otherHeads.length > 0) return undefined;
  const from = head.line + above.length;
  const tails = findLines(file.normals, below, MAX_PLACES);
  const [tail, ...otherTails] = tails.places.filter(({ line }) => line >= from);
  if (!tail || otherTails.length > 0 || tails.isCut || tail.line === from) return undefined;
  return { first: file.numbers[from]!, last: file.numbers[tail.line - 1]! };
}

function normalsOf(lines: readonly string[]): string[] {
  return blockOf(lines.join("\n")).lines.map(({ normal }) => normal);
}

function isPlaceholder(line: string): boolean {
  if (ONLY_DOTS.test(line)) return true;
  const comment = COMMENT.exec(line)?.[1];
  if (comment === undefined) return false;
  const words = comment.replaceAll(/\.{3,}|…/g, " ").replaceAll(/^[\s([]+|[\s)\]]+$/g, "");
  const hasDots = DOTS.test(comment);
  if (words === "") return hasDots;
  return LEFT_OUT.test(words) && (hasDots || LEFT_OUT_FOR_CERTAIN.test(words));
}

/** `...` is a statement in Python, and the end of a document in YAML. */
function isBody(line: string, lines: readonly string[], index: number): boolean {
  if (line !== "...") return false;
  const before = lines.slice(0, index).findLast((other) => other.trim() !== "");
  return before === undefined ? lines.length === 1 : /[:"'`]\s*(?:#.*)?$/.test(before.trimEnd());
}

function hasLine(file: string, line: string): boolean {
  for (let at = file.indexOf(line); at !== -1; at = file.indexOf(line, at + 1)) {
    const start = file.lastIndexOf("\n", at) + 1;
    const newline = file.indexOf("\n", at);
    if (file.slice(start, newline === -1 ? file.length : newline).trim() === line) return true;
  }
  return false;
}
