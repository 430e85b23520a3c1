import { loadAstEngine, type SgNode } from "@pintle/exec/native";

/** A node of the grammar's tree as a plain object: each question to the engine's own crosses into another language. */
export interface ShellNode {
  kind: string;
  text: string;
  start: number;
  end: number;
  /** Not a sign such as `;`. */
  isNamed: boolean;
  children: readonly ShellNode[];
}

/** Throws when this build has no grammar of the shell. */
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
