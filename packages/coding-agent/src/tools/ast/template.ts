import type { TemplatePart, Variable } from "./metavariables.ts";

/** Code that a variable stands for. */
export interface Capture {
  text: string;
  /** How far the line is indented on which it begins. */
  indent: string;
  /** Offsets in `text` of lines that begin inside of a string: their indentation is content. */
  fixedLines?: ReadonlySet<number>;
}

export interface Place {
  /** How far the line is indented on which the replaced code begins. */
  indent: string;
  lineBreak: string;
}

/**
 * Fills a template for one place. Its lines are indented as far as the place is, and the lines of what is filled in move
 * with the line they come to stand on.
 */
export function fillTemplate(
  parts: readonly TemplatePart[],
  captureOf: (variable: Variable) => Capture,
  { indent, lineBreak }: Place,
): string {
  let filled = "";
  let lineIndent = indent;
  for (const [index, part] of parts.entries()) {
    if (typeof part !== "string") {
      filled += moveLines(captureOf(part), lineIndent);
      continue;
    }
    const [first = "", ...rest] = part.split(/\r?\n/);
    filled += first;
    for (const [position, line] of rest.entries()) {
      const isFollowed = position === rest.length - 1 && index < parts.length - 1;
      lineIndent = indent + (/^[ \t]*/.exec(line)?.[0] ?? "");
      filled += lineBreak + (line.trim() === "" && !isFollowed ? line : indent + line);
    }
  }
  return filled;
}

/** Lines that stand further left than the one before which they were captured have a reason to, and stay. */
function moveLines({ text, indent, fixedLines }: Capture, to: string): string {
  if (indent === to || !text.includes("\n")) return text;
  let start = 0;
  return text
    .split("\n")
    .map((line) => {
      const isMoved = start > 0 && !fixedLines?.has(start) && line.trim() !== "" && line.startsWith(indent);
      start += line.length + 1;
      return isMoved ? to + line.slice(indent.length) : line;
    })
    .join("\n");
}
