import { refuseCostly, refuseSlowSearch } from "./cost.ts";
import { type Reach, reachOf } from "./reach.ts";
import { childrenOf, type PatternNode, parsePattern } from "./syntax.ts";

/** A pattern from a project file. It must be fast on any text. */
export interface SafePattern {
  node: PatternNode;
  /** Set if the node matches more than the pattern, so that a match must be confirmed. */
  confirm?: Confirmation;
}

export interface Confirmation {
  regex: RegExp;
  reach: Reach;
}

const MAX_LENGTH = 4_096;
/** Matches inline flags at the beginning, such as `(?i)`, as in other engines. */
const INLINE_FLAGS = /^\(\?([ims]+)\)/;
/** Matches syntax that RegExp supports only with the flag `u`. */
const NEEDS_UNICODE = /\\(?:p\{|u\{)/i;

/** Compiles a pattern in which `^` and `$` match at line ends. Throws an Error that says why it cannot be used. */
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

/** Returns whether the automaton only approximates the node, because it cannot evaluate backreferences and look-arounds. */
function isInexact(node: PatternNode): boolean {
  if (node.kind === "atom") return node.orPair;
  return node.kind === "look" || node.kind === "backreference" || childrenOf(node).some(isInexact);
}
