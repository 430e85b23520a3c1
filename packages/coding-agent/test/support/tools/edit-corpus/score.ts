import { applyEdits } from "../../../../src/tools/edit/apply-edits.ts";
import { decodeFile } from "../../../../src/tools/edit/file-text.ts";
import { MUTATIONS } from "./mutations.ts";
import { SAMPLE_EDITS, type SampleEdit } from "./sample-edits.ts";

export interface Outcome {
  sample: string;
  kind: string;
  outcome: "right" | "refused" | "damaged";
  /** Why the edit was refused, or the resulting file. */
  detail: string;
  /** How the text was found. */
  notes: string[];
  /** The file contains the old text as given, perhaps with other line endings. */
  isExact: boolean;
}

/** A corrupted edit, and the file that it should produce. */
export interface CorpusCase {
  sample: string;
  kind: string;
  path: string;
  file: string;
  edit: { oldText: string; newText: string };
  expected: string;
  isExact: boolean;
}

/** Returns every sample, corrupted in every way that makes a difference to it. */
export function corpusCases(samples: readonly SampleEdit[] = SAMPLE_EDITS): CorpusCase[] {
  const cases: CorpusCase[] = [];
  for (const sample of samples) {
    const usual = sample.file.replace(sample.oldText, () => sample.newText);
    for (const { kind, spoil } of MUTATIONS) {
      const spoiled = spoil(sample);
      if (!spoiled) continue;
      const file = spoiled.file ?? sample.file;
      const isSpoiled = file !== sample.file || spoiled.oldText !== sample.oldText;
      if (!isSpoiled && kind !== "as it is") continue;
      const { oldText, newText } = spoiled;
      // Replaces text verbatim if the file contains it verbatim.
      const isExact = withNewlines(file).includes(withNewlines(oldText));
      const isVerbatim = isExact && !oldText.includes("\r") && spoiled.expected === undefined;
      const expected = isVerbatim ? file.replace(oldText, () => newText) : (spoiled.expected ?? usual);
      const edit = { oldText, newText };
      cases.push({ sample: sample.name, kind, path: sample.path, file, edit, expected, isExact });
    }
  }
  return cases;
}

/** Applies every case in the corpus. */
export function playCorpus(): Outcome[] {
  return corpusCases().map(({ sample, kind, path, file, edit, expected, isExact }) => ({
    sample,
    kind,
    isExact,
    ...play(path, file, edit, expected),
  }));
}

function play(path: string, file: string, edit: { oldText: string; newText: string }, expected: string) {
  try {
    const { text, notes } = applyEdits(decodeFile(Buffer.from(file))!, [edit], path);
    if (text === expected) return { outcome: "right" as const, detail: "", notes };
    return { outcome: "damaged" as const, detail: text, notes };
  } catch (error) {
    return { outcome: "refused" as const, detail: (error as Error).message, notes: [] };
  }
}

function withNewlines(text: string): string {
  return text.replaceAll("\r\n", "\n");
}
