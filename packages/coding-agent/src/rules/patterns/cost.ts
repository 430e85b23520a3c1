import { childrenOf, type PatternNode } from "./syntax.ts";

/** Maximum size of a pattern with all counted repetitions expanded. */
const MAX_SIZE = 2_000;
/** Maximum number of ways to match one text if a search has to try them all. */
const MAX_WAYS = 200;
/** Characters that are enough to find out whether two classes overlap. */
const SAMPLE = [...Array.from({ length: 0x180 }, (_, unit) => String.fromCharCode(unit)), "\u2028", "\u3042", "\ud800"];

type Repeat = Extract<PatternNode, { kind: "repeat" }>;

/** Throws if the pattern is too large, or can cause catastrophic backtracking in other engines. */
export function refuseCostly(node: PatternNode): void {
  refuseNesting(node, false);
  if (sizeOf(node) > MAX_SIZE) throw new Error("repeats too often");
}

/** Throws if RegExp could need more than about the square of the length of its input. */
export function refuseSlowSearch(node: PatternNode): void {
  for (const look of looksIn(node)) refuseSlowSearch(look.body);
  const isSlow = openRepeats(node, false).some(
    (repeat, index, all) =>
      repeat.body.kind !== "atom" || all.slice(index + 1).some((other) => overlap(repeat.body, other.body)),
  );
  if (isSlow || waysOf(node) > MAX_WAYS) throw new Error("repeats too freely for a pattern that looks around");
}

function refuseNesting(node: PatternNode, isRepeated: boolean): void {
  const isOpen = isOpenRepeat(node);
  if (isOpen && isRepeated) throw new Error("repeats something that repeats");
  for (const child of childrenOf(node)) refuseNesting(child, isRepeated || isOpen);
}

function sizeOf(node: PatternNode): number {
  const inner = childrenOf(node).reduce((sum, child) => sum + sizeOf(child), 1);
  return node.kind === "repeat" ? inner * (isOpenRepeat(node) ? node.min + 1 : node.max) : inner;
}

function isOpenRepeat(node: PatternNode): boolean {
  return node.kind === "repeat" && node.max === Number.POSITIVE_INFINITY;
}

/** Returns look-arounds. Each is evaluated once per position, so its repetitions do not multiply with the others. */
function looksIn(node: PatternNode): Extract<PatternNode, { kind: "look" }>[] {
  return node.kind === "look" ? [node] : childrenOf(node).flatMap(looksIn);
}

/** Returns the unbounded repetitions. One that is itself repeated is listed twice, because it overlaps with itself. */
function openRepeats(node: PatternNode, isRepeated: boolean): Repeat[] {
  if (node.kind === "look") return [];
  if (node.kind === "repeat" && isOpenRepeat(node)) return isRepeated ? [node, node] : [node];
  const isCounted = node.kind === "repeat" && node.max > 1;
  return childrenOf(node).flatMap((child) => openRepeats(child, isRepeated || isCounted));
}

function overlap(a: PatternNode, b: PatternNode): boolean {
  if (a.kind !== "atom" || b.kind !== "atom") return true;
  return SAMPLE.some((char) => a.atom.matches(char) && b.atom.matches(char));
}

function waysOf(node: PatternNode): number {
  if (node.kind === "look" || isOpenRepeat(node)) return 1;
  const ways = childrenOf(node).map(waysOf);
  if (node.kind === "any") return ways.reduce((sum, count) => sum + count, 0);
  if (node.kind !== "repeat") return ways.reduce((product, count) => product * count, 1);
  let sum = 0;
  for (let count = node.min; count <= node.max && sum <= MAX_WAYS; count += 1) sum += ways[0]! ** count;
  return sum;
}
