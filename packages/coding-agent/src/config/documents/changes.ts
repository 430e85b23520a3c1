import { isRecord } from "@pintle/ai";

/** A member of a file to change. Undefined removes it. */
export interface Change {
  path: readonly string[];
  value: unknown;
}

/** Returns the smallest members in which two contents differ. */
export function changesBetween(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
  path: readonly string[] = [],
): Change[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => {
    const [old, value] = [memberOf(before, name), memberOf(after, name)];
    if (Bun.deepEquals(old, value)) return [];
    const inner = [...path, name];
    return isRecord(old) && isRecord(value) ? changesBetween(old, value, inner) : [{ path: inner, value }];
  });
}

function memberOf(tree: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(tree, name) ? tree[name] : undefined;
}

/** Returns line and column of an offset; both count from 1. */
export function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: before.length - before.lastIndexOf("\n") };
}
