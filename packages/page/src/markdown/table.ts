import { type Inline, parseInline } from "./inline.ts";

export interface Table {
  type: "table";
  aligns: ("left" | "right" | "center" | undefined)[];
  head: Inline[][];
  rows: Inline[][][];
}

const DIVIDER = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*){0,99}\|?[ \t]*$/;

/** A line of cells, a line of dashes with as many of them, and the lines of cells that follow. */
export function readTable(lines: readonly string[], at: number): { block: Table; end: number } | undefined {
  const [first = "", divider = ""] = [lines[at], lines[at + 1]];
  if (!first.includes("|") || divider.length > 2000 || !divider.includes("-") || !DIVIDER.test(divider))
    return undefined;
  const aligns = cells(divider).map(alignOf);
  const head = cells(first);
  if (head.length !== aligns.length) return undefined;
  let end = at + 2;
  while (end < lines.length && lines[end]?.includes("|")) end += 1;
  const rows = lines.slice(at + 2, end).map((line) => {
    const row = cells(line);
    return aligns.map((_, column) => parseInline(row[column] ?? ""));
  });
  return { block: { type: "table", aligns, head: head.map((cell) => parseInline(cell)), rows }, end };
}

function alignOf(cell: string): Table["aligns"][number] {
  const [isLeft, isRight] = [cell.startsWith(":"), cell.endsWith(":")];
  if (isLeft && isRight) return "center";
  return isRight ? "right" : isLeft ? "left" : undefined;
}

/** Split at bars that are neither escaped nor in code. */
function cells(line: string): string[] {
  const found: string[] = [];
  let cell = "";
  let isCode = false;
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at] as string;
    if (character === "\\" && line[at + 1] === "|") {
      cell += "|";
      at += 1;
    } else if (character === "|" && !isCode) {
      found.push(cell.trim());
      cell = "";
    } else {
      if (character === "`") isCode = !isCode;
      cell += character;
    }
  }
  found.push(cell.trim());
  if (found[0] === "") found.shift();
  if (found.at(-1) === "") found.pop();
  return found;
}
