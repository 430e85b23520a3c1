import { cutText } from "@pintle/ai";

const MAX_LENGTH = 200;

/** Makes a path safe for a terminal or dialog: nothing in it moves the cursor, reverses text or is invisible. */
export function visiblePath(path: string): string {
  return path.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}]/gu, "?");
}

/** The same with a length limit, for a name. */
export function visibleName(name: string): string {
  return cutText(visiblePath(name), MAX_LENGTH);
}
