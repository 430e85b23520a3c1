import { wrapped } from "../text/wrap.ts";

/** Indents lines below the row that they belong to. */
export function indented(lines: readonly string[], width: number): string[] {
  const inner = Math.max(1, width - 2);
  return lines.flatMap((line) => wrapped(line, inner)).map((line) => `  ${line}`);
}
