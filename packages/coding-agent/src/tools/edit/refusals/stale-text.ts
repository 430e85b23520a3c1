import { cutText } from "@pintle/ai";
import { stripControlCharacters } from "../../shared/control-characters.ts";
import { normalLine } from "../matching/normal-line.ts";
import { align } from "../merging/align.ts";

const MAX_LINES = 30;
const MAX_LINE = 200;
const CONTEXT = 2;

/** What the old text has and the file has not (`-`), and what stands there now (`+`), with the file's line numbers. */
export function staleDiff(wanted: readonly string[], present: readonly string[], firstNumber: number): string {
  const origins = align(wanted.map(normalLine), present.map(normalLine), (normal) => normal.length + 1);
  const rows: { sign: "-" | "+" | " "; text: string }[] = [];
  let nextWanted = 0;
  let nextPresent = 0;
  const differUpTo = (wantedEnd: number, presentEnd: number) => {
    for (; nextWanted < wantedEnd; nextWanted += 1) rows.push({ sign: "-", text: ` ${wanted[nextWanted]!}` });
    for (; nextPresent < presentEnd; nextPresent += 1) {
      rows.push({ sign: "+", text: `${firstNumber + nextPresent} ${present[nextPresent]!}` });
    }
  };
  for (const [index, line] of present.entries()) {
    const origin = origins[index]!;
    if (origin === -1) continue;
    differUpTo(origin, index);
    rows.push({ sign: " ", text: `${firstNumber + index} ${line}` });
    nextWanted = origin + 1;
    nextPresent = index + 1;
  }
  differUpTo(wanted.length, present.length);
  const isNear = rows.map((_, index) =>
    rows.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(({ sign }) => sign !== " "),
  );
  const shown = rows.filter((_, index) => isNear[index] || !isNear.includes(true)).slice(0, MAX_LINES);
  const text = shown.map(({ sign, text }) => sign + cutText(stripControlCharacters(text), MAX_LINE));
  return text.join("\n");
}
