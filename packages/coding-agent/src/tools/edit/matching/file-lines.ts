import { normalLine } from "./normal-line.ts";

/** The lines of a text that have something in them, in normal form, and where they are. */
export interface FileLines {
  text: string;
  normals: readonly string[];
  /** Offsets of the beginnings of these lines. */
  starts: readonly number[];
  /** 1-based. */
  numbers: readonly number[];
}

export function fileLines(text: string): FileLines {
  const normals: string[] = [];
  const starts: number[] = [];
  const numbers: number[] = [];
  let start = 0;
  for (let number = 1; start <= text.length; number += 1) {
    const end = endOfLine(text, start);
    const normal = normalLine(text.slice(start, end));
    if (normal !== "") {
      normals.push(normal);
      starts.push(start);
      numbers.push(number);
    }
    start = end + 1;
  }
  return { text, normals, starts, numbers };
}

export function endOfLine(text: string, start: number): number {
  const newline = text.indexOf("\n", start);
  return newline === -1 ? text.length : newline;
}
