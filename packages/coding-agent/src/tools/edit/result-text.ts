import { cutText } from "@pintle/ai";
import type { EditDetails } from "../edit.ts";
import type { EditedText } from "./apply-edits.ts";

const MAX_LINES = 40;
const MAX_LINE = 160;
const MAX_CHARACTERS = 2000;

/** What was done, how texts were found that are not in the file as they were given, and the changed lines with their numbers. */
export function resultText(shownPath: string, { replacements, notes }: EditedText, { diff }: EditDetails): string {
  const count = `${replacements} ${replacements === 1 ? "replacement" : "replacements"}`;
  return [`Edited ${shownPath} (${[count, ...notes].join("; ")})`, ...changedLines(diff)].join("\n");
}

function changedLines(diff: string): string[] {
  const changed = diff.split("\n").filter((line) => line.startsWith("+") || line.startsWith("-"));
  const shown: string[] = [];
  let characters = 0;
  for (const line of changed) {
    const short = cutText(line, MAX_LINE);
    characters += short.length + 1;
    if (shown.length === MAX_LINES || characters > MAX_CHARACTERS) break;
    shown.push(short);
  }
  const rest = changed.length - shown.length;
  return rest > 0 ? [...shown, `[${rest} more changed lines]`] : shown;
}
