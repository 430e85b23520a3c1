import { basename, isAbsolute, relative, resolve } from "node:path";

const PATH_KEY = /paths?$/i;

/** Returns all strings in the arguments of a call. */
export function textsIn(args: Readonly<Record<string, unknown>>): string[] {
  return leavesOf(args).map(({ text }) => text);
}

/**
 * Returns the files that a call's arguments name: as written, relative to the directory, absolute, and by base name. While the
 * arguments are still streaming, the value of the last key is ignored, because it may be half of a name.
 */
export function pathsIn(args: Readonly<Record<string, unknown>>, cwd: string, isComplete: boolean): string[] {
  const known = isComplete ? args : Object.fromEntries(Object.entries(args).slice(0, -1));
  const written = leavesOf(known).flatMap(({ key, text }) => (PATH_KEY.test(key) && text !== "" ? [text] : []));
  return [...new Set(written.flatMap((path) => spellings(path, cwd)))];
}

/** Returns the strings in a value, each with its key; the items of a list have the key of the list. */
function leavesOf(value: unknown): { key: string; text: string }[] {
  const leaves: { key: string; text: string }[] = [];
  // No recursion, because a model may nest deeper than the stack allows.
  const open: { key: string; value: unknown }[] = [{ key: "", value }];
  for (let item = open.pop(); item; item = open.pop()) {
    const { key, value: inner } = item;
    if (typeof inner === "string") leaves.push({ key, text: inner });
    else if (Array.isArray(inner)) for (const child of inner.toReversed()) open.push({ key, value: child });
    else if (typeof inner === "object" && inner !== null) {
      for (const [childKey, child] of Object.entries(inner).toReversed()) open.push({ key: childKey, value: child });
    }
  }
  return leaves;
}

function spellings(path: string, cwd: string): string[] {
  const absolute = isAbsolute(path) ? path : resolve(cwd, path);
  return [path, relative(cwd, absolute), absolute, basename(absolute)];
}
