import { diffArrays } from "diff";
import {
  SAMPLE_EDITS,
  type SampleEdit,
} from "../../packages/coding-agent/test/support/tools/edit-corpus/sample-edits.ts";
import { type CorpusCase, corpusCases } from "../../packages/coding-agent/test/support/tools/edit-corpus/score.ts";
import { type Program, play } from "./programs.ts";

/** How many edits one process makes. A longer conversation would mostly measure the size of its requests. */
const EDITS_PER_RUN = 100;

export interface EditScore {
  all: number;
  right: number;
  /** The file is unchanged. */
  refused: number;
  /** The file is neither unchanged nor as the edit should have left it. */
  damaged: number;
  /** Calls without a result, because the program ended early. The other figures count them as well. */
  unanswered: number;
}

/** Has a program make every edit of the corpus with its own edit tool, and compares the files byte for byte. */
export async function scoreEdits(program: Program): Promise<EditScore> {
  const cases = program.editsWithPatches ? corpusCases(SAMPLE_EDITS.map(wholeLines)) : corpusCases();
  const score: EditScore = { all: cases.length, right: 0, refused: 0, damaged: 0, unanswered: 0 };
  for (let first = 0; first < cases.length; first += EDITS_PER_RUN) {
    const part = cases.slice(first, first + EDITS_PER_RUN);
    const name = ({ path }: CorpusCase, index: number) => `${index}/${path}`;
    const files = Object.fromEntries(part.map((one, index) => [name(one, index), one.file]));
    const calls = part.map((one, index) => {
      const path = name(one, index);
      return program.editsWithPatches
        ? { tool: "bash", args: { command: applyPatch(path, one.edit) } }
        : { tool: "edit", args: { path, edits: [one.edit] } };
    });
    const played = await play(program, calls, files);
    score.unanswered += played.results.filter((result) => result === undefined).length;
    for (const [index, one] of part.entries()) {
      const content = played.files[name(one, index)];
      if (content === one.expected) score.right += 1;
      else if (content === one.file) score.refused += 1;
      else score.damaged += 1;
    }
  }
  return score;
}

/** A patch has whole lines, so its author would also have quoted the rest of the first and the last line. */
function wholeLines(sample: SampleEdit): SampleEdit {
  const { file, oldText, newText } = sample;
  const start = file.indexOf(oldText);
  const end = start + oldText.length;
  const before = file.slice(file.lastIndexOf("\n", start - 1) + 1, start);
  const newline = oldText.endsWith("\n") ? end - 1 : file.indexOf("\n", end);
  const after = file.slice(end, newline === -1 ? file.length : newline + 1);
  return { ...sample, oldText: before + oldText + after, newText: before + newText + after };
}

function applyPatch(path: string, { oldText, newText }: CorpusCase["edit"]): string {
  const lines = (text: string) => text.replace(/\n$/, "").split("\n");
  const hunk = diffArrays(lines(oldText), lines(newText)).flatMap(({ added, removed, value }) =>
    value.map((line) => `${added ? "+" : removed ? "-" : " "}${line}`),
  );
  const patch = ["*** Begin Patch", `*** Update File: ${path}`, "@@", ...hunk, "*** End Patch"];
  return `apply_patch <<'END_OF_PATCH'\n${patch.join("\n")}\nEND_OF_PATCH`;
}
