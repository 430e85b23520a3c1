import { refuseCostly, refuseSlowSearch } from "./cost.ts";
import { type Reach, reachOf } from "./reach.ts";
import { childrenOf, type PatternNode, parsePattern } from "./syntax.ts";

/** A pattern from a file of the project. None may take long, whatever text it meets. */
export interface SafePattern {
  node: PatternNode;
  /** Confirms a match, because the node matches more than the pattern. */
  confirm?: Confirmation;
}

export interface Confirmation {
  regex: RegExp;
  reach: Reach;
}

const MAX_LENGTH = 4_096;
/** `(?i)` and the like at the beginning, as other engines have it. */
const INLINE_FLAGS = /^\(\?([ims]+)\)/;
/** What RegExp understands only with `u`. */
const NEEDS_UNICODE = /\\(?:p\{|u\{)/i;

/** `^` and `$` stand for the ends of lines. Throws an Error that says why the pattern cannot be used. */
export function compileSafely(written: string): SafePattern {
  if (written.length > MAX_LENGTH) throw new Error(`is longer than ${MAX_LENGTH} characters`);
  const { source, flags } = readFlags(written);
  const regex = new RegExp(source, `g${flags}`);
  const node = parsePattern(source, flags);
  refuseCostly(node);
  if (!isInexact(node)) return { node };
  refuseSlowSearch(node);
  return { node, confirm: { regex, reach: reachOf(node) } };
}

export function readFlags(written: string): { source: string; flags: string } {
  const inline = INLINE_FLAGS.exec(written);
  const source = written.slice(inline?.[0].length ?? 0);
  const flags = new Set(["m", ...(inline?.[1] ?? ""), ...(NEEDS_UNICODE.test(source) ? ["u"] : [])]);
  return { source, flags: [...flags].join("") };
}

/** An automaton has no memory for what a group matched, and no second head for looking around. */
function isInexact(node: PatternNode): boolean {
  if (node.kind === "atom") return node.orPair;
  return node.kind === "look" || node.kind === "backreference" || childrenOf(node).some(isInexact);
}
