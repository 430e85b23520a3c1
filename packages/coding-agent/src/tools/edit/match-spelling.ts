import type { TextChange } from "../shared/numbered-diff.ts";
import { type Block, blockOf, type FileLines, findLines, type Place, placeAt } from "./find-lines.ts";
import { type Indentation, indentationAt, indentStep } from "./indentation.ts";
import { areEndsWrong, mergeBlock } from "./merge-block.ts";
import { foldCharacters } from "./normal-line.ts";
import { isWord, styleOfNewLines, type Token, tokensOf, Unclear } from "./style.ts";

/** More places than this are not compared, because the text is not unique anyway. */
const MAX_PLACES = 50;
/** Several places are not compared if their lines are longer than this in total. */
const MAX_COMPARED = 1_000_000;

interface MatchTask {
  file: FileLines;
  oldText: string;
  newText: string;
  isProse: boolean;
  replaceAll: boolean;
}

/** A matched place and its changes. */
export interface Landing {
  start: number;
  end: number;
  changes: TextChange[];
  /** Describes in the result how the old text differs. */
  matchNote: string;
}

type SpellingMatch =
  | { kind: "landed"; landings: Landing[] }
  | { kind: "several"; lines: number[]; isCut: boolean; matchNote: string }
  | { kind: "unclear"; firstNumber: number; lastNumber: number; matchNote: string; reason: string }
  | { kind: "none" };

interface Candidate {
  place: Place;
  indentation: Indentation;
  differences: ReadonlySet<Difference>;
  step: string | undefined;
  /** Names the invisible characters that differ. */
  invisible: string;
}

/**
 * Finds old text that is spelled differently in the file. Compares all places with the same normal lines and returns the one
 * that differs least, if there is exactly one.
 */
export function matchSpelling(task: MatchTask): SpellingMatch {
  const old = blockOf(task.oldText);
  const fresh = blockOf(task.newText);
  const wanted = old.lines.map(({ normal }) => normal);
  if (wanted.length === 0) return { kind: "none" };
  const { places, isCut } = findLines(task.file.normals, wanted, MAX_PLACES);
  const [numbers, normals] = [task.file.numbers, task.file.normals];
  if (places.length > 1 && places.reduce((sum, { line }) => sum + normals[line]!.length, 0) > MAX_COMPARED) {
    return { kind: "several", lines: places.map(({ line }) => numbers[line]!), isCut, matchNote: "ignoring spaces" };
  }
  const candidates = places.flatMap((place): Candidate[] => {
    const found = placeAt(task.file, place, wanted.length);
    return found ? candidateAt(task.file, old, fresh, found) : [];
  });
  const [lightest] = candidates.toSorted((a, b) => weightOf(a.differences) - weightOf(b.differences));
  if (!lightest) return { kind: "none" };
  const best = candidates.filter(({ differences }) => weightOf(differences) === weightOf(lightest.differences));
  const isPartial = lightest.place.beginsInLine || lightest.place.endsInLine;
  const isAmbiguous = best.length > 1 || isCut || (isPartial && candidates.length > 1);
  if (isAmbiguous && (!task.replaceAll || isCut)) {
    const all = best.length > 1 ? best : candidates;
    return {
      kind: "several",
      lines: all.map(({ place }) => place.firstNumber),
      isCut,
      matchNote: matchNoteOf(lightest),
    };
  }
  return land(task, old, fresh, task.replaceAll ? best : [lightest]);
}

function candidateAt(file: FileLines, old: Block, fresh: Block, place: Place): Candidate[] {
  const step = indentStep(file, place.lines[0]!.start);
  const { indentation } = indentationAt({ old, fresh, place, step });
  const differences = differencesAt(old, place, indentation);
  return differences ? [{ place, indentation, differences, step, invisible: nameInvisible(file, old, place) }] : [];
}

function land(task: MatchTask, old: Block, fresh: Block, candidates: readonly Candidate[]): SpellingMatch {
  const landings: Landing[] = [];
  for (const candidate of candidates) {
    const { place, step } = candidate;
    const [start, end] = [place.lines[0]!.start, place.lines.at(-1)!.bodyEnd];
    const { text } = task.file;
    try {
      const changes = mergeBlock({
        text,
        old,
        fresh,
        place,
        step,
        forNewLines: (style) => styleOfNewLines(style, { text, start, end, isProse: task.isProse }),
      });
      landings.push({
        start: Math.min(start, changes[0]?.start ?? start),
        end: Math.max(end, changes.at(-1)?.end ?? end),
        changes: changes.filter((change) => text.slice(change.start, change.end) !== change.text),
        matchNote: matchNoteOf(candidate),
      });
    } catch (error) {
      if (!(error instanceof Unclear)) throw error;
      const { firstNumber, lastNumber } = place;
      return { kind: "unclear", firstNumber, lastNumber, matchNote: matchNoteOf(candidate), reason: error.message };
    }
  }
  return { kind: "landed", landings };
}

/** Returns, for example, "after indenting by 4, ignoring quotes". */
function matchNoteOf({ indentation, differences, invisible }: Candidate): string {
  const list = listOf(differences);
  const named = invisible === "" ? "" : ` (${invisible})`;
  const all = [indentation.matchNote, list && `ignoring ${list}`].filter((part) => part !== "").join(", ");
  return (all || "ignoring spaces") + named;
}

/** Differences between old text and file that do not affect the meaning, with weights and descriptions. */
const DIFFERENCES = {
  finalNewline: { weight: 1, matchNote: "the newline at the end of the file" },
  lineEndSpaces: { weight: 1, matchNote: "trailing spaces" },
  unseen: { weight: 1, matchNote: "invisible characters" },
  quotes: { weight: 2, matchNote: "quotes" },
  dashes: { weight: 2, matchNote: "dashes" },
  spaceKinds: { weight: 2, matchNote: "the kind of space" },
  forms: { weight: 2, matchNote: "Unicode forms" },
  lookAlikes: { weight: 2, matchNote: "look-alike characters" },
  edgeBlanks: { weight: 3, matchNote: "empty lines at the beginning or end" },
  tabs: { weight: 3, matchNote: "" },
  shifted: { weight: 4, matchNote: "" },
  scaled: { weight: 5, matchNote: "" },
  irregular: { weight: 5, matchNote: "" },
  blankLines: { weight: 5, matchNote: "empty lines" },
  innerSpaces: { weight: 5, matchNote: "spaces inside lines" },
} as const;

type Difference = keyof typeof DIFFERENCES;

function weightOf(differences: ReadonlySet<Difference>): number {
  return Math.max(0, ...[...differences].map((difference) => DIFFERENCES[difference].weight));
}

/** Returns, for example, "quotes, dashes and empty lines", or an empty string. */
function listOf(differences: ReadonlySet<Difference>): string {
  const names = (Object.keys(DIFFERENCES) as Difference[])
    .filter((difference) => differences.has(difference))
    .map((difference) => DIFFERENCES[difference].matchNote)
    .filter((words) => words !== "");
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** Finds how the old text differs from a place with the same normal lines. Returns undefined if the meaning differs. */
function differencesAt(old: Block, place: Place, indentation: Indentation): Set<Difference> | undefined {
  const found = new Set<Difference>();
  if (indentation.kind !== "same") found.add(indentation.kind);
  for (const [index, line] of old.lines.entries()) {
    const inFile = place.lines[index]!;
    const isLast = index === old.lines.length - 1;
    if (line.trail !== inFile.trail && !(isLast && old.breaksAtEnd === 0 && line.trail === ""))
      found.add("lineEndSpaces");
    if (index > 0 && old.blanks[index] !== place.blanks[index]) found.add("blankLines");
    if (line.body !== inFile.body && !compareBodies(line.body, inFile.body, found)) return undefined;
  }
  if (old.breaksAtEnd > 0 && place.breaksAfter === 0) found.add("finalNewline");
  if (areEndsWrong(old, place)) found.add("edgeBlanks");
  return found;
}

function compareBodies(old: string, file: string, found: Set<Difference>): boolean {
  const oldTokens = tokensOf(old);
  const fileTokens = tokensOf(file);
  if (oldTokens.length !== fileTokens.length) return false;
  let isTold = false;
  for (const [index, token] of oldTokens.entries()) {
    const inFile = fileTokens[index]!;
    if (token.raw !== inFile.raw) found.add(kindOfToken(token, inFile));
    isTold ||= token.raw !== inFile.raw || token.gap !== inFile.gap;
    if (token.gap === inFile.gap) continue;
    const [oldGap, fileGap] = [foldCharacters(token.gap), foldCharacters(inFile.gap)];
    if (oldGap !== fileGap) {
      const before = oldTokens[index - 1];
      if (before && (oldGap === "") !== (fileGap === "") && isOneSign(before.normal, token.normal)) return false;
      found.add("innerSpaces");
    } else found.add(token.gap.length === inFile.gap.length ? "spaceKinds" : "unseen");
  }
  if (!isTold) found.add("unseen");
  return true;
}

function kindOfToken(old: Token, file: Token): Difference {
  if (old.normal === '"' || old.normal === "'") return "quotes";
  if (old.normal === "-") return "dashes";
  const isForm = isWord(old) && old.raw.normalize("NFC") === file.raw.normalize("NFC");
  return isForm ? "forms" : "lookAlikes";
}

const DOUBLED = "+-*/=<>&|:.?!#@";
const PAIRS = new Set(["->", "=>", "<-", "/*", "*/", "?.", "</", "/>"]);

/** Whether a space between two signs matters, as in `- -` and `--`. */
function isOneSign(left: string, right: string): boolean {
  if (left === right) return DOUBLED.includes(left);
  return PAIRS.has(left + right) || (right === "=" && "+-*/%<>!&|^~:?".includes(left));
}

/** Characters that look like a space or are invisible. */
const INVISIBLE = /[\u00a0\u00ad\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u2064\u3000\ufeff]/g;
const MAX_NAMED = 3;

/** Names the invisible characters that differ between old text and file: "line 385 has U+00A0". */
function nameInvisible({ text }: FileLines, old: Block, place: Place): string {
  const start = place.lines[0]!.start;
  const named = old.lines.flatMap(({ body }, index): string[] => {
    const inFile = place.lines[index]!;
    const [given, there] = [codesIn(body), codesIn(inFile.body)];
    if (given === there) return [];
    const number = place.firstNumber + text.slice(start, inFile.start).split("\n").length - 1;
    return [there === "" ? `line ${number} has no ${given}` : `line ${number} has ${there}`];
  });
  const more = named.length > MAX_NAMED ? [`${named.length - MAX_NAMED} more lines`] : [];
  return [...named.slice(0, MAX_NAMED), ...more].join(", ");
}

function codesIn(body: string): string {
  const codes = [...body.matchAll(INVISIBLE)].map(([character]) => {
    return `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
  });
  return [...new Set(codes)].join(" ");
}
