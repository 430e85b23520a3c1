import { cutText } from "../foundation/cut-text.ts";

const SHOWN_CHARS = 200;

/** Formats a count: `1 line`, `2 lines`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

function shorten(line: string): string {
  return cutText(line, SHOWN_CHARS);
}

/** Returns the first non-empty line, shortened. */
export function firstLine(text: string): string {
  const line = text.split("\n").find((candidate) => candidate.trim() !== "");
  return shorten(line?.trim() ?? "");
}

/** Quotes foreign text inside a sentence. */
export function quote(text: string): string {
  const line = firstLine(text);
  return line.includes("`") ? `\`\` ${line} \`\`` : `\`${line}\``;
}

/** Quotes foreign lines in a fence that they cannot close. */
export function fenced(lines: readonly string[]): string {
  const body = lines.map(shorten).join("\n");
  const longest = Math.max(2, ...[...body.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return [fence, body, fence].join("\n");
}

/** Lists the first items and the number of those left out. */
export function some(items: readonly string[], most: number): string[] {
  const rest = items.length - most;
  return rest > 0 ? [...items.slice(0, most), `… and ${rest} more`] : [...items];
}
