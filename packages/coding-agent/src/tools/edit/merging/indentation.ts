/** The indentation of a line in the old text and in the file. */
export interface IndentPair {
  old: string;
  file: string;
}

export interface IndentHints {
  /** Indentations of the old and the new text. */
  written: readonly string[];
  /** One step of indentation in the file, if it is known. */
  step: string | undefined;
}

/** How indentations of the old text become those of the file. */
export interface Indentation {
  kind: "same" | "tabs" | "shifted" | "scaled" | "irregular";
  /** For the result: "indenting by 4". */
  told: string;
  /** The file's indentation for a line of the new text; undefined where the lines do not say. */
  toFile(indent: string): string | undefined;
}

/** Columns of the file as a linear function of those of the old text. */
interface Rule {
  tabWidth: number;
  scale: number;
  offset: number;
}

const TAB_WIDTHS = [4, 2, 8, 3, 1];
const SCALES = [1, 2, 0.5, 4, 0.25, 1.5, 3];

/** What all pairs have in common. */
export function indentationOf(pairs: readonly IndentPair[], hints: IndentHints): Indentation {
  if (pairs.every(({ old, file }) => old === file)) return { kind: "same", told: "", toFile: (indent) => indent };
  const table = tableOf(pairs);
  const rules = rulesFor(pairs);
  const [simplest] = rules;
  if (!simplest) return { kind: "irregular", told: "with other indentation", toFile: table };
  const usesTabs = pairs.some(({ file }) => file.includes("\t")) || hints.step?.includes("\t") === true;
  const likely = rules.filter((rule) => keepsSteps(rule, hints));
  const candidates = likely.length > 0 ? likely : rules;
  return {
    ...inWords(candidates[0]!, pairs),
    toFile: (indent) => table(indent) ?? agreed(candidates.map((rule) => applied(rule, indent, usesTabs))),
  };
}

/** Rules that all pairs follow, the simplest first. */
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

/** Tabs of another width explain it: no step became another one. */
function isTabsOnly({ scale, offset }: Rule): boolean {
  return scale === 1 && offset === 0;
}

function complexity({ scale, offset }: Rule): number {
  return (scale === 1 ? 0 : 2) + (offset === 0 ? 0 : 1);
}

/** Whether one step of what the model wrote becomes one step of the file. */
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

/** What the simplest rule says, unless another of them says otherwise. */
function agreed(results: readonly (string | undefined)[]): string | undefined {
  return results.every((result) => result === results[0]) ? results[0] : undefined;
}

function inWords({ scale, offset, tabWidth }: Rule, pairs: readonly IndentPair[]): Pick<Indentation, "kind" | "told"> {
  const fileHasTabs = pairs.some(({ file }) => file.includes("\t"));
  const oldHasTabs = pairs.some(({ old }) => old.includes("\t"));
  const exchanged = fileHasTabs === oldHasTabs ? [] : [fileHasTabs ? "with tabs for spaces" : "with spaces for tabs"];
  if (scale !== 1) return { kind: "scaled", told: "with other steps of indentation" };
  if (offset === 0) return { kind: "tabs", told: exchanged[0] ?? "with tabs and spaces exchanged" };
  const isInTabs = fileHasTabs && offset % tabWidth === 0;
  const width = isInTabs ? `${Math.abs(offset) / tabWidth} tab(s)` : `${Math.abs(offset)}`;
  return { kind: "shifted", told: [`after ${offset > 0 ? "" : "un"}indenting by ${width}`, ...exchanged].join(", ") };
}

/** Only what stands in the old text itself, and always in the same way. */
function tableOf(pairs: readonly IndentPair[]): (indent: string) => string | undefined {
  const table = new Map<string, string | undefined>();
  for (const { old, file } of pairs) table.set(old, table.has(old) && table.get(old) !== file ? undefined : file);
  return (indent) => table.get(indent);
}

export function columns(indent: string, tabWidth: number): number {
  let column = 0;
  for (const character of indent) column += character === "\t" ? tabWidth - (column % tabWidth) : 1;
  return column;
}
