import type { LineOrigin } from "./align.ts";
import { lowerBound } from "./file-text.ts";
import { type Block, endOfLine, type FileLines, type Place } from "./find-lines.ts";
import { Unclear } from "./style.ts";

/** The indentation of a line in the old text and in the file. */
interface IndentPair {
  old: string;
  file: string;
}

interface IndentHints {
  /** Indentations in the old and the new text. */
  written: readonly string[];
  /** One indentation step in the file, if known. */
  step: string | undefined;
}

/** Maps indentations of the old text to those of the file. */
export interface Indentation {
  kind: "same" | "tabs" | "shifted" | "scaled" | "irregular";
  /** Describes the rule in the result, for example "indenting by 4". */
  matchNote: string;
  /** Returns the file's indentation for a line of the new text, or undefined if it is uncertain. */
  toFile(indent: string): string | undefined;
}

/** Expresses columns in the file as a linear function of columns in the old text. */
interface Rule {
  tabWidth: number;
  scale: number;
  offset: number;
}

const TAB_WIDTHS = [4, 2, 8, 3, 1];
const SCALES = [1, 2, 0.5, 4, 0.25, 1.5, 3];

/** Finds the rule that all pairs follow. */
function indentationOf(pairs: readonly IndentPair[], hints: IndentHints): Indentation {
  if (pairs.every(({ old, file }) => old === file)) return { kind: "same", matchNote: "", toFile: (indent) => indent };
  const table = tableOf(pairs);
  const rules = rulesFor(pairs);
  const [simplest] = rules;
  if (!simplest) return { kind: "irregular", matchNote: "with different indentation", toFile: table };
  const usesTabs = pairs.some(({ file }) => file.includes("\t")) || hints.step?.includes("\t") === true;
  const likely = rules.filter((rule) => keepsSteps(rule, hints));
  const candidates = likely.length > 0 ? likely : rules;
  return {
    ...inWords(candidates[0]!, pairs),
    toFile: (indent) => table(indent) ?? agreed(candidates.map((rule) => applied(rule, indent, usesTabs))),
  };
}

/** Yields the rules that all pairs follow, the simplest first. */
function rulesFor(pairs: readonly IndentPair[]): Rule[] {
  const rules: Rule[] = [];
  const [first] = pairs;
  if (!first) return rules;
  const hasTabs = pairs.some(({ old, file }) => (old + file).includes("\t"));
  for (const scale of SCALES) {
    for (const tabWidth of hasTabs ? TAB_WIDTHS : [TAB_WIDTHS[0]!]) {
      const offset = columns(first.file, tabWidth) - scale * columns(first.old, tabWidth);
      if (scale !== 1 && (offset !== 0 || rules.some(isTabsOnly))) continue;
      const follows = ({ old, file }: IndentPair) =>
        columns(file, tabWidth) === scale * columns(old, tabWidth) + offset;
      if (pairs.every(follows)) rules.push({ tabWidth, scale, offset });
    }
  }
  return rules.toSorted((a, b) => complexity(a) - complexity(b));
}

/** Whether a different tab width explains the difference without scaling. */
function isTabsOnly({ scale, offset }: Rule): boolean {
  return scale === 1 && offset === 0;
}

function complexity({ scale, offset }: Rule): number {
  return (scale === 1 ? 0 : 2) + (offset === 0 ? 0 : 1);
}

/** Whether one indentation step of the model corresponds to one step of the file. */
function keepsSteps({ scale, tabWidth }: Rule, { written, step }: IndentHints): boolean {
  const widths = [...new Set(written.map((indent) => columns(indent, tabWidth)))].sort((a, b) => a - b);
  const steps = widths.slice(1).map((width, index) => width - widths[index]!);
  if (steps.length === 0 || step === undefined) return false;
  return Math.min(...steps) * scale === columns(step, tabWidth);
}

function applied({ tabWidth, scale, offset }: Rule, indent: string, usesTabs: boolean): string | undefined {
  const width = scale * columns(indent, tabWidth) + offset;
  if (!Number.isInteger(width) || width < 0) return undefined;
  if (!usesTabs) return " ".repeat(width);
  return "\t".repeat(Math.floor(width / tabWidth)) + " ".repeat(width % tabWidth);
}

/** Returns the result that all rules agree on, or undefined. */
function agreed(results: readonly (string | undefined)[]): string | undefined {
  return results.every((result) => result === results[0]) ? results[0] : undefined;
}

function inWords(
  { scale, offset, tabWidth }: Rule,
  pairs: readonly IndentPair[],
): Pick<Indentation, "kind" | "matchNote"> {
  const fileHasTabs = pairs.some(({ file }) => file.includes("\t"));
  const oldHasTabs = pairs.some(({ old }) => old.includes("\t"));
  const exchanged = fileHasTabs === oldHasTabs ? [] : [fileHasTabs ? "with tabs for spaces" : "with spaces for tabs"];
  if (scale !== 1) return { kind: "scaled", matchNote: "with another indentation step" };
  if (offset === 0) return { kind: "tabs", matchNote: exchanged[0] ?? "with tabs and spaces exchanged" };
  const isInTabs = fileHasTabs && offset % tabWidth === 0;
  const width = isInTabs ? `${Math.abs(offset) / tabWidth} tab(s)` : `${Math.abs(offset)}`;
  return {
    kind: "shifted",
    matchNote: [`after ${offset > 0 ? "" : "un"}indenting by ${width}`, ...exchanged].join(", "),
  };
}

/** Maps only indentations of the old text that always correspond to the same one in the file. */
function tableOf(pairs: readonly IndentPair[]): (indent: string) => string | undefined {
  const table = new Map<string, string | undefined>();
  for (const { old, file } of pairs) table.set(old, table.has(old) && table.get(old) !== file ? undefined : file);
  return (indent) => table.get(indent);
}

function columns(indent: string, tabWidth: number): number {
  let column = 0;
  for (const character of indent) column += character === "\t" ? tabWidth - (column % tabWidth) : 1;
  return column;
}

const LINES_AROUND = 200;

/** Returns the file's indentation step around a place: the most frequent increase from one line to the next. */
export function indentStep({ text, starts }: FileLines, nearOffset: number): string | undefined {
  const near = lowerBound(starts, nearOffset);
  const counts = new Map<string, number>();
  let before: string | undefined;
  for (let index = Math.max(0, near - LINES_AROUND); index < Math.min(starts.length, near + LINES_AROUND); index += 1) {
    const indent = indentAt(text, starts[index]!);
    if (before !== undefined && indent.length > before.length && indent.startsWith(before)) {
      const step = indent.slice(before.length);
      counts.set(step, (counts.get(step) ?? 0) + 1);
    }
    before = indent;
  }
  return [...counts].toSorted((a, b) => b[1] - a[1] || a[0].length - b[0].length)[0]?.[0];
}

function indentAt(text: string, start: number): string {
  const line = text.slice(start, endOfLine(text, start));
  return line.slice(0, line.length - line.trimStart().length);
}

/** Measures depth, only to compare two indentations. */
const TAB_WIDTH = 4;

const INDENT = "how far to indent a new line";

interface IndentTask {
  old: Block;
  fresh: Block;
  place: Place;
  origins: readonly (LineOrigin | undefined)[];
  step: string | undefined;
}

/** Finds the rule that maps indentations of the old text to those of the file. */
export function indentationAt({ old, fresh, place, step }: Pick<IndentTask, "old" | "fresh" | "place" | "step">) {
  const written = [...old.lines, ...fresh.lines].map(({ indent }) => indent);
  const pairs = old.lines.map((line, index): IndentPair => ({ old: line.indent, file: place.lines[index]!.indent }));
  const hints = { written, step };
  // The old text may start in the middle of a line, or after its indentation.
  const rest = indentationOf(pairs.slice(1), hints);
  if (place.beginsInLine) return { indentation: rest, isFirstTrimmed: true };
  const isTrimmed = pairs[0]!.old === "" && pairs[0]!.file !== "";
  const whole = indentationOf(pairs, hints);
  if (isTrimmed && (pairs.length === 1 || (whole.kind === "irregular" && rest.kind !== "irregular"))) {
    const indentation: Indentation = rest.kind === "same" ? rest : { ...rest, kind: "irregular" };
    return { indentation, isFirstTrimmed: true };
  }
  return { indentation: whole, isFirstTrimmed: false };
}

/** Returns the indentation that each line of the new text gets in the file. Throws Unclear. */
export function newIndents(task: IndentTask): string[] {
  const { fresh, place, old, origins } = task;
  const { indentation, isFirstTrimmed } = indentationAt(task);
  const indents = fresh.lines.map(({ indent }) => indent);
  const isFileStyle = indentation.kind !== "same" && isInFileStyle(task, isFirstTrimmed);
  const result = indents.map((indent, index) => {
    if (isFileStyle || indentation.kind === "same") return indent;
    const origin = origins[index];
    if (origin && old.lines[origin.index]!.indent === indent) return place.lines[origin.index]!.indent;
    const known = indentation.toFile(indent) ?? sameAsNeighbours(task, index);
    if (known === undefined) throw new Unclear(INDENT);
    return known;
  });
  if (isFirstTrimmed && result.length > 0) {
    const isPlain = indents[0] === old.lines[0]!.indent;
    const first = place.beginsInLine ? "" : place.lines[0]!.indent;
    if (isPlain) result[0] = first;
    if (old.lines.length === 1 && !place.beginsInLine) refuseLessIndented(result, first);
  }
  return result;
}

/** If the old text is a single line without its indentation, the other new lines may lack theirs too. */
function refuseLessIndented(indents: readonly string[], first: string): void {
  if (indents.some((indent) => columns(indent, TAB_WIDTH) < columns(first, TAB_WIDTH))) {
    throw new Unclear(INDENT);
  }
}

/**
 * Finds the nearest old lines above and below with the same indentation, and returns their indentation in the file if they
 * agree.
 */
function sameAsNeighbours({ fresh, old, place, origins }: IndentTask, index: number): string | undefined {
  const { indent } = fresh.lines[index]!;
  const near = (step: 1 | -1): string | undefined => {
    for (let other = index + step; other >= 0 && other < origins.length; other += step) {
      const origin = origins[other];
      if (!origin || fresh.lines[other]!.indent !== indent || old.lines[origin.index]!.indent !== indent) continue;
      return place.lines[origin.index]!.indent;
    }
    return undefined;
  };
  const before = near(-1);
  return before !== undefined && before === near(1) ? before : undefined;
}

/**
 * Whether the new text already has the file's indentation and only the old text lacks it. Throws Unclear if the new text
 * mixes both.
 */
function isInFileStyle(task: IndentTask, isFirstTrimmed: boolean): boolean {
  const { old, fresh, place } = task;
  const skip = isFirstTrimmed ? 1 : 0;
  const least = (lines: readonly { indent: string }[]) => leastIndent(lines.slice(skip));
  const startsAsOld = least(fresh.lines) === least(old.lines);
  const startsAsFile = least(fresh.lines) === least(place.lines);
  const same = likeness(task, "same", isFirstTrimmed);
  const changed = likeness(task, "changed", isFirstTrimmed);
  const isTorn = (same.asOld > 0 && same.asFile > 0) || (changed.asOld > 0 && changed.asFile > 0);
  if (startsAsOld && !startsAsFile) return false;
  if (isTorn || startsAsFile === startsAsOld ? isTorn : same.asOld + changed.asOld > 0) throw new Unclear(INDENT);
  if (same.asOld > 0) return false;
  if (same.asFile + changed.asFile > 0 && hasStepsOfOld(task)) throw new Unclear(INDENT);
  if (startsAsFile && (same.asFile > 0 || !startsAsOld)) return true;
  if (!startsAsOld) throw new Unclear(INDENT);
  if (changed.asFile > 0) return true;
  const hasSteps = hasStepsOfFile(task);
  if (changed.asOld > 0 && hasSteps) throw new Unclear(INDENT);
  return hasSteps;
}

/** Counts the new lines indented as in the old text and those indented as in the file, where the two differ. */
function likeness({ old, fresh, place, origins }: IndentTask, kind: LineOrigin["kind"], isFirstTrimmed: boolean) {
  let asOld = 0;
  let asFile = 0;
  for (const [index, origin] of origins.entries()) {
    if (origin?.kind !== kind || (isFirstTrimmed && (index === 0 || origin.index === 0))) continue;
    const [inOld, inFile, inNew] = [old.lines[origin.index]!, place.lines[origin.index]!, fresh.lines[index]!];
    if (inOld.indent === inFile.indent) continue;
    if (inNew.indent === inOld.indent) asOld += 1;
    else if (inNew.indent === inFile.indent) asFile += 1;
  }
  return { asOld, asFile };
}

/** Whether the new text is indented in the file's steps and the old text is not. */
function hasStepsOfFile({ old, fresh, step }: IndentTask): boolean {
  if (step === undefined) return false;
  return firstStep(fresh.lines) === step && firstStep(old.lines) !== step;
}

/** Whether the new text has the first indentation step of the old text, while the file has another. */
function hasStepsOfOld({ old, fresh, place }: IndentTask): boolean {
  const step = firstStep(old.lines);
  return step !== undefined && firstStep(fresh.lines) === step && firstStep(place.lines) !== step;
}

function firstStep(lines: readonly { indent: string }[]): string | undefined {
  return leastIndent(lines.filter(({ indent }) => indent !== ""));
}

function leastIndent(lines: readonly { indent: string }[]): string | undefined {
  const [first, ...others] = lines.map(({ indent }) => indent);
  return others.reduce(
    (least, indent) => (columns(indent, TAB_WIDTH) < columns(least ?? "", TAB_WIDTH) ? indent : least),
    first,
  );
}
