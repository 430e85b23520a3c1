const SLASH = 0x2f;
/** A new word begins behind these: / _ - . and space. */
const SEPARATORS: ReadonlySet<number> = new Set([SLASH, 0x5f, 0x2d, 0x2e, 0x20]);

/** What is looked for; lower case, unless the user wrote a capital. */
export interface Needle {
  text: string;
  isExactCase: boolean;
}

export function toNeedle(query: string): Needle {
  const isExactCase = query !== query.toLowerCase();
  return { text: isExactCase ? query : query.toLowerCase(), isExactCase };
}

/**
 * How well a path fits, more is better; undefined: a letter is missing. The letters must stand in the path in their order.
 * The last name counts most: the whole of it, its beginning, letters in a row and at the beginning of words; then shortness.
 */
export function fuzzyScore({ text, isExactCase }: Needle, path: string): number | undefined {
  const hay = isExactCase ? path : path.toLowerCase();
  const end = hay.endsWith("/") ? hay.length - 1 : hay.length;
  const base = hay.lastIndexOf("/", end - 1) + 1;
  const inBase = text.includes("/") ? undefined : scoreFrom(text, hay, base, end);
  const score = inBase === undefined ? scoreFrom(text, hay, 0, end) : inBase + 100;
  if (score === undefined) return undefined;
  const name = hay.slice(base, end);
  const whole =
    name === text ? 200 : name.startsWith(text) ? 80 : name.includes(text) ? 40 : hay.includes(text) ? 20 : 0;
  return score + whole - path.length * 0.1;
}

function scoreFrom(text: string, hay: string, start: number, end: number): number | undefined {
  let score = 0;
  let at = start;
  let last = -2;
  for (let index = 0; index < text.length; index += 1) {
    at = hay.indexOf(text[index]!, at);
    if (at === -1 || at >= end) return undefined;
    if (at === last + 1) score += 5;
    if (at === start || SEPARATORS.has(hay.charCodeAt(at - 1))) score += 8;
    last = at;
    at += 1;
  }
  return score;
}
