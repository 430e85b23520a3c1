import { isAbsolute, relative, resolve, sep } from "node:path";
import { expandHome } from "@pintle/foundation";
import { escapeName, hasControlCharacter } from "./printable-text.ts";

const UNICODE_SPACE = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g;

/**
 * Returns the absolute path that a model means. Throws an Error for the model if it is not a path. Does not follow links;
 * see canonicalPath.
 */
export function resolveToolPath(path: string, cwd: string): string {
  if (hasControlCharacter(path)) {
    throw new Error(`The path "${escapeName(path)}" contains a control character, which is not allowed.`);
  }
  const plain = path.replace(UNICODE_SPACE, " ");
  const unmarked = plain.startsWith("@") ? plain.slice(1) : plain; // chat programs mark files with @
  if (unmarked.trim() === "") throw new Error("The path is empty.");
  return resolve(cwd, expandHome(unmarked));
}

/**
 * Returns a path as results show it: relative to the session's directory, absolute outside it, with `/` and on one line.
 * As an argument it names the same file.
 */
export function displayPath(absolutePath: string, cwd: string): string {
  const fromCwd = relative(cwd, absolutePath);
  if (fromCwd === "") return ".";
  const isOutside = fromCwd === ".." || fromCwd.startsWith(`..${sep}`) || isAbsolute(fromCwd);
  const shown = escapeName((isOutside ? absolutePath : fromCwd).replaceAll(sep, "/"));
  return /^[@~]/.test(shown) ? `./${shown}` : shown;
}
