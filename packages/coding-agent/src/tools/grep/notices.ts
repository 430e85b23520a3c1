import type { Collected } from "./match-collector.ts";
import type { Page } from "./ripgrep-arguments.ts";
import { MAX_LINE_CHARACTERS } from "./shown-line.ts";

export const LONG_LINES_NOTICE = `[Lines longer than ${MAX_LINE_CHARACTERS} characters are cut.]`;

/** Says how to get what is not shown. */
export function describeCut(cut: NonNullable<Collected["cut"]>, { offset, context }: Page, matches: number): string {
  if (matches === 0) return `[The output limit was reached before the first match. Use less context than ${context}.]`;
  const count = matches === 1 ? "1 match" : `${matches} matches`;
  const reason = cut === "matches" ? "" : ", where the output limit was reached";
  return `[There is more after these ${count}${reason}. Continue with offset=${offset + matches}, or narrow pattern, path or glob.]`;
}
