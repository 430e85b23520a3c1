import { formatBytes, type OutputLimits, truncateHead } from "../shared/truncate.ts";

/** What was found, cut if it is too much, and below it what must not be cut off. */
export function resultText(body: string, notes: readonly string[], limits: OutputLimits): string {
  const { text, truncation } = truncateHead(body, limits);
  const cut = truncation
    ? `[Shown: the first ${truncation.outputLines} lines, ${formatBytes(truncation.outputBytes)}. Narrow path or glob to see the rest.]`
    : "";
  return [text, cut, ...notes].filter((part) => part !== "").join("\n\n");
}
