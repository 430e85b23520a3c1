import { childrenOf, type PatternNode } from "./syntax.ts";

/** How far a match looks past its own end. Until that much text has arrived, the match is not certain. */
export interface Reach {
  /** In characters. If infinite, the match is certain only at the end of the text. */
  length: number;
  /** True if it looks to the end of the line. */
  line: boolean;
}

export function reachOf(node: PatternNode): Reach {
  const reaches = childrenOf(node).map(reachOf);
  if (node.kind === "edge") reaches.push({ length: node.test.where === "behind" ? 0 : 1, line: false });
  if (node.kind === "atom" && node.orPair) reaches.push({ length: 1, line: false });
  if (node.kind === "look" && node.where === "ahead") {
    const { length, crossesLines } = extentOf(node.body);
    const isLine = length === Number.POSITIVE_INFINITY && !crossesLines;
    // One more character for a condition at the end of a look-ahead.
    reaches.push(isLine ? { length: 1, line: true } : { length: length + 1, line: false });
  }
  return {
    length: Math.max(0, ...reaches.map(({ length }) => length)),
    line: reaches.some(({ line }) => line),
  };
}

/** Returns the length of the longest text that a node can match. */
function extentOf(node: PatternNode): { length: number; crossesLines: boolean } {
  if (node.kind === "atom") return { length: node.orPair ? 2 : 1, crossesLines: node.atom.matches("\n") };
  if (node.kind === "backreference") return { length: Number.POSITIVE_INFINITY, crossesLines: true };
  const inner = childrenOf(node).map(extentOf);
  const lengths = inner.map(({ length }) => length);
  const sum = lengths.reduce((total, length) => total + length, 0);
  const repeated = node.kind === "repeat" && sum > 0 ? sum * node.max : sum;
  return {
    length: node.kind === "any" ? Math.max(...lengths) : repeated,
    crossesLines: inner.some(({ crossesLines }) => crossesLines),
  };
}
