import type { Block } from "../matching/block.ts";
import { foldCharacters } from "../matching/look-alikes.ts";
import type { Place } from "../matching/place.ts";
import type { Indentation } from "../merging/indentation.ts";
import { areEndsWrong } from "../merging/merge-block.ts";
import { isWord } from "../merging/style.ts";
import { type Token, tokensOf } from "../merging/tokens.ts";

/** Ways in which an old text and the file may differ and still be the same: from the lightest, and how each is told. */
const DIFFERENCES = {
  finalNewline: { weight: 1, told: "the newline at the end of the file" },
  lineEndSpaces: { weight: 1, told: "spaces at line ends" },
  unseen: { weight: 1, told: "characters that cannot be seen" },
  quotes: { weight: 2, told: "quotes" },
  dashes: { weight: 2, told: "dashes" },
  spaceKinds: { weight: 2, told: "kinds of spaces" },
  forms: { weight: 2, told: "Unicode forms" },
  lookAlikes: { weight: 2, told: "look-alike characters" },
  edgeBlanks: { weight: 3, told: "empty lines at its ends" },
  tabs: { weight: 3, told: "" },
  shifted: { weight: 4, told: "" },
  scaled: { weight: 5, told: "" },
  irregular: { weight: 5, told: "" },
  blankLines: { weight: 5, told: "empty lines" },
  innerSpaces: { weight: 5, told: "spaces inside lines" },
} as const;

export type Difference = keyof typeof DIFFERENCES;

export function weightOf(differences: ReadonlySet<Difference>): number {
  return Math.max(0, ...[...differences].map((difference) => DIFFERENCES[difference].weight));
}

/** "quotes, dashes and empty lines"; empty if there is nothing to tell. */
export function listOf(differences: ReadonlySet<Difference>): string {
  const told = (Object.keys(DIFFERENCES) as Difference[])
    .filter((difference) => differences.has(difference))
    .map((difference) => DIFFERENCES[difference].told)
    .filter((words) => words !== "");
  return told.length < 2 ? told.join("") : `${told.slice(0, -1).join(", ")} and ${told.at(-1)}`;
}

/** In what the old text differs from a place with the same normal lines. Undefined if it does not have the same meaning. */
export function differencesAt(old: Block, place: Place, indentation: Indentation): Set<Difference> | undefined {
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

/** Whether two signs mean something else when they stand together: `- -` and `--`. */
function isOneSign(left: string, right: string): boolean {
  if (left === right) return DOUBLED.includes(left);
  return PAIRS.has(left + right) || (right === "=" && "+-*/%<>!&|^~:?".includes(left));
}
