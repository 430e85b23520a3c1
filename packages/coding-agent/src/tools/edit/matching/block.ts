import { normalLine } from "./normal-line.ts";

/** A line with something in it. */
export interface BlockLine {
  indent: string;
  body: string;
  /** Spaces behind the body. */
  trail: string;
  normal: string;
}

/** A text of a model as its lines, with the empty ones between them counted. */
export interface Block {
  lines: readonly BlockLine[];
  /** Empty lines before each line; of the first, how many newlines the text begins with. */
  blanks: readonly number[];
  /** Newlines behind the last line. */
  breaksAtEnd: number;
}

export function blockOf(text: string): Block {
  const lines: BlockLine[] = [];
  const blanks: number[] = [];
  const all = text.split("\n");
  let empty = 0;
  for (const line of all) {
    const normal = normalLine(line);
    if (normal === "") {
      empty += 1;
      continue;
    }
    lines.push(blockLine(line, normal));
    blanks.push(empty);
    empty = 0;
  }
  return { lines, blanks, breaksAtEnd: lines.length === 0 ? all.length - 1 : empty };
}

const BLANK = /^[ \t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]$/;

/** Control characters belong to the body: they are not shown, and no indentation. */
export function blockLine(line: string, normal = normalLine(line)): BlockLine {
  let start = 0;
  while (start < line.length && BLANK.test(line[start]!)) start += 1;
  let end = line.length;
  while (end > start && BLANK.test(line[end - 1]!)) end -= 1;
  return { indent: line.slice(0, start), body: line.slice(start, end), trail: line.slice(end), normal };
}
