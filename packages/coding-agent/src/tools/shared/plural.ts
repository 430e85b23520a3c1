/** Returns `1 match` or `2 matches`. */
export function plural(count: number, noun: string): string {
  return `${count} ${formOf(count, noun)}`;
}

/** Returns `2,000 matches`, for numbers that may be large. */
export function countOf(count: number, noun: string): string {
  return `${grouped(count)} ${formOf(count, noun)}`;
}

/** Groups thousands with commas, independent of the locale. */
export function grouped(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
}

function formOf(count: number, noun: string): string {
  if (count === 1) return noun;
  return /(?:ch|sh|s|x)$/.test(noun) ? `${noun}es` : `${noun}s`;
}
