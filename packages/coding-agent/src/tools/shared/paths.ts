import { isAbsolute, relative, resolve, sep } from "node:path";
import { expandHome } from "../../files/expand-home.ts";
import { escapeName, hasControlCharacter } from "./escape-name.ts";

const UNICODE_SPACE = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g;

/**
 * The absolute path that a model means. Throws an Error for the model when it means none. Links are not followed: see
 * canonicalPath.
 */
export function resolveToolPath(path: string, cwd: string): string {
  if (hasControlCharacter(path)) {
    throw new Error(`The path "${escapeName(path)}" contains a control character; such names are refused.`);
  }
  const plain = path.replace(UNICODE_SPACE, " ");
  const unmarked = plain.startsWith("@") ? plain.slice(1) : plain; // how chat programs mark a file
  if (unmarked.trim() === "") throw new Error("The path is empty.");
  return resolve(cwd, expandHome(unmarked));
}

/**
 * A path as results show it: relative to the session's directory, absolute outside of it, always with `/` and on one line.
 * Given back as an argument it means the same file.
 */
export function displayPath(absolutePath: string, cwd: string): string {
  const fromCwd = relative(cwd, absolutePath);
  if (fromCwd === "") return ".";
  const isOutside = fromCwd === ".." || fromCwd.startsWith(`..${sep}`) || isAbsolute(fromCwd);
  const shown = escapeName((isOutside ? absolutePath : fromCwd).replaceAll(sep, "/"));
  return /^[@~]/.test(shown) ? `./${shown}` : shown;
}
