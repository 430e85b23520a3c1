import type { SgNode } from "../../native/ast-engine.ts";
import type { Variable } from "./metavariables.ts";
import { indentAt } from "./source-file.ts";
import type { Capture } from "./template.ts";

/** What a variable stands for in a match. undefined: the pattern has it in a part that was not matched. */
export function readCapture(match: SgNode, variable: Variable, source: string): Capture | undefined {
  const nodes = nodesOf(match, variable);
  const [first] = nodes;
  const last = nodes.at(-1);
  if (!first || !last) return variable.isMany ? { text: "", indent: "" } : undefined;
  // A slice of the source and not the nodes' texts: those lack what stands between them.
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

/** As grammars call them. A concatenation of strings is code between strings. */
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
