import type { SgNode } from "@pintle/exec/native";
import type { TemplatePart, Variable } from "./metavariables.ts";
import { indentAt } from "./source-file.ts";

/** Returns what a variable matched, or undefined if it belongs to a part of the pattern that was not matched. */
export function readCapture(match: SgNode, variable: Variable, source: string): Capture | undefined {
  const nodes = nodesOf(match, variable);
  const [first] = nodes;
  const last = nodes.at(-1);
  if (!first || !last) return variable.isMany ? { text: "", indent: "" } : undefined;
  // Slices the source, because the text of the nodes lacks what is between them.
  const { start: begin, end: firstEnd } = first.range();
  const start = begin.index;
  const text = source.slice(start, (last === first ? firstEnd : last.range().end).index);
  if (!text.includes("\n")) return { text, indent: "" };
  return { text, indent: indentAt(source, start), fixedLines: linesInStrings(nodes, source, start) };
}

function nodesOf(match: SgNode, { name, isMany }: Variable): SgNode[] {
  if (isMany) return match.getMultipleMatches(name);
  const node = match.getMatch(name);
  return node ? [node] : [];
}

/** Node kinds of strings in the grammars. A concatenation is not a string, because it has code between its strings. */
const STRING_KIND = /^(?!concatenated).*(?:string|heredoc|template_literal)/;

function linesInStrings(nodes: readonly SgNode[], source: string, start: number): Set<number> {
  const lines = new Set<number>();
  const left = [...nodes];
  for (let node = left.pop(); node; node = left.pop()) {
    const range = node.range();
    if (range.start.line === range.end.line) continue;
    if (!STRING_KIND.test(String(node.kind()))) {
      left.push(...node.children());
      continue;
    }
    for (let at = source.indexOf("\n", range.start.index); at !== -1; at = source.indexOf("\n", at + 1)) {
      if (at >= range.end.index) break;
      lines.add(at + 1 - start);
    }
  }
  return lines;
}

/** The code that a variable matched. */
export interface Capture {
  text: string;
  /** Indentation of the line where it starts. */
  indent: string;
  /** Offsets in `text` of lines that start inside a string, where indentation is content. */
  fixedLines?: ReadonlySet<number>;
}

export interface Place {
  /** Indentation of the line where the replaced code starts. */
  indent: string;
  lineBreak: string;
}

/**
 * Fills in a template for one match. The template's lines take the indentation of the match, and captured lines are shifted
 * with the line they are inserted into.
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

/** Re-indents captured lines. Lines indented less than the first one stay as they are, because that is deliberate. */
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
