import type { TextChange } from "../../shared/numbered-diff.ts";

export interface ChangeList {
  /** A part of the text stays; one that is behind another that stays comes again. */
  copy(start: number, end: number): void;
  insert(text: string): void;
  /** Up to this offset, the rest goes. */
  finish(end: number): TextChange[];
}

/** The changes between the parts of a text that stay. */
export function createChangeList(text: string, start: number): ChangeList {
  const changes: TextChange[] = [];
  let at = start;
  let inserted = "";
  const close = (end: number) => {
    if (end > at || inserted !== "") changes.push({ start: at, end, text: inserted });
    inserted = "";
  };
  return {
    copy(from, to) {
      if (from < at) {
        inserted += text.slice(from, to);
        return;
      }
      close(from);
      at = to;
    },
    insert(added) {
      inserted += added;
    },
    finish(end) {
      close(end);
      return changes;
    },
  };
}
