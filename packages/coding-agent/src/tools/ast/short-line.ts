import { escapeName } from "../shared/escape-name.ts";

const MAX_CHARACTERS = 120;

/** The first line of a piece of code, cut, with a word about what is left out. */
export function shortLine(code: string): string {
  const [first = "", ...rest] = code.split(/\r?\n/);
  const shown = first.length > MAX_CHARACTERS ? `${cutAt(first, MAX_CHARACTERS)}…` : first;
  const more = rest.length > 0 ? ` … (+${rest.length} ${rest.length === 1 ? "line" : "lines"})` : "";
  return oneLine(shown) + more;
}

/** Code as it is, but for what would do something to the screen or to the lines around. Tabs stay. */
export function oneLine(code: string): string {
  return code.split("\t").map(escapeName).join("\t");
}

/** Never through the middle of a character. */
export function cutAt(text: string, length: number): string {
  const isInPair = (text.codePointAt(length - 1) ?? 0) > 0xffff;
  return text.slice(0, isInPair ? length - 1 : length);
}
