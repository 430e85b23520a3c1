import type { SgNode } from "../../native/ast-engine.ts";
import { readCapture } from "../ast/captures.ts";
import { capturedVariables, showVariable } from "../ast/metavariables.ts";
import type { ScannedFile } from "../ast/scan.ts";
import { shortLine } from "../ast/short-line.ts";

export interface Match {
  /** Lines of the file, from 0. */
  firstLine: number;
  lastLine: number;
  column: number;
  /** `$NAME = code` */
  captures: string[];
}

/** Everything that was found in a file, in its order. What several patterns match counts once. */
export function matchesIn({ source, matches }: ScannedFile, patterns: readonly string[]): (() => Match)[] {
  const found = new Map<string, { start: number; end: number; node: SgNode; pattern: string }>();
  for (const [index, nodes] of matches.entries()) {
    for (const node of nodes) {
      const { start, end } = node.range();
      const key = `${start.index}-${end.index}`;
      if (!found.has(key)) found.set(key, { start: start.index, end: end.index, node, pattern: patterns[index] ?? "" });
    }
  }
  return [...found.values()]
    .sort((a, b) => a.start - b.start || b.end - a.end)
    .map(
      ({ node, pattern }) =>
        () =>
          describe(node, pattern, source.text),
    );
}

function describe(node: SgNode, pattern: string, source: string): Match {
  const { start, end } = node.range();
  const captures = capturedVariables(pattern).flatMap((variable) => {
    const capture = readCapture(node, variable, source);
    return capture ? [`${showVariable(variable)} = ${shortLine(capture.text)}`.trimEnd()] : [];
  });
  return { firstLine: start.line, lastLine: end.line, column: start.column, captures };
}
