import { loadAstEngine, type SgNode } from "@pintle/exec/native";

/** A node of the syntax tree as a plain object, because each access to the parser's own nodes crosses into native code. */
export interface ShellNode {
  kind: string;
  text: string;
  start: number;
  end: number;
  /** False for punctuation such as `;`. */
  isNamed: boolean;
  children: readonly ShellNode[];
}

/** Throws if this build has no shell grammar. */
export function parseShell(text: string): ShellNode {
  return toPlain(loadAstEngine().parse("bash", text).root(), text);
}

function toPlain(node: SgNode, source: string): ShellNode {
  const { start, end } = node.range();
  return {
    kind: String(node.kind()),
    text: source.slice(start.index, end.index),
    start: start.index,
    end: end.index,
    isNamed: node.isNamed(),
    children: node.children().map((child) => toPlain(child, source)),
  };
}
