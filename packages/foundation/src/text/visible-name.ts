import { cutText } from "@pintle/ai";

const MAX_LENGTH = 200;

/** Makes a path safe to show in a terminal or dialog: nothing in it moves the cursor, reverses text or is invisible. */
export function visiblePath(path: string): string {
  return path.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}]/gu, "?");
}

/** Does the same for a name, with a length limit. */
export function visibleName(name: string): string {
  return cutText(visiblePath(name), MAX_LENGTH);
}
