import { applyEdits } from "../../../../src/tools/edit/apply-edits.ts";
import { decodeFile } from "../../../../src/tools/edit/text-codec.ts";
import { MUTATIONS } from "./mutations.ts";
import { SAMPLE_EDITS } from "./sample-edits.ts";

export interface Outcome {
  sample: string;
  kind: string;
  outcome: "right" | "refused" | "damaged";
  /** Why it was refused, or what the file became. */
  detail: string;
  /** How the text was found. */
  notes: string[];
  /** The file has the old text as it was given, perhaps with other line ends. */
  isExact: boolean;
}

/** Every sample spoiled in every way that makes a difference to it. */
export function playCorpus(): Outcome[] {
  const outcomes: Outcome[] = [];
  for (const sample of SAMPLE_EDITS) {
    const usual = sample.file.replace(sample.oldText, () => sample.newText);
    for (const { kind, spoil } of MUTATIONS) {
      const spoiled = spoil(sample);
      if (!spoiled) continue;
      const file = spoiled.file ?? sample.file;
      const isSpoiled = file !== sample.file || spoiled.oldText !== sample.oldText;
      if (!isSpoiled && kind !== "as it is") continue;
      const { oldText, newText } = spoiled;
      // What is in the file as it was given is replaced as it was given.
      const isExact = withNewlines(file).includes(withNewlines(oldText));
      const isVerbatim = isExact && !oldText.includes("\r") && spoiled.expected === undefined;
      const expected = isVerbatim ? file.replace(oldText, () => newText) : (spoiled.expected ?? usual);
      outcomes.push({ sample: sample.name, kind, isExact, ...play(sample.path, file, spoiled, expected) });
    }
  }
  return outcomes;
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
