import type { PageSource } from "../page-source.ts";

const SLICE_MS = 12;

/** Finds rows whose title, label or text contains all words. Works in small steps, so that the page stays responsive. */
export async function searchRows(
  source: Pick<PageSource, "rows" | "bodyText">,
  query: string,
  signal: AbortSignal,
): Promise<Set<number> | undefined> {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const found = new Set<number>();
  let sliceEnd = performance.now() + SLICE_MS;
  for (const [place, row] of source.rows.entries()) {
    const head = `${row.title} ${row.label ?? ""} ${row.tool ?? ""}`.toLowerCase();
    if (words.every((word) => head.includes(word)) || matchesBody(source.bodyText(place), words)) found.add(place);
    if (performance.now() < sliceEnd) continue;
    await new Promise((resolve) => setTimeout(resolve));
    if (signal.aborted) return undefined;
    sliceEnd = performance.now() + SLICE_MS;
  }
  return found;
}

/** Searches the JSON text before parsing it, because it contains nearly every word verbatim. */
function matchesBody(json: string, words: readonly string[]): boolean {
  const needsReading = words.some((word) => /["\\<]|[^\x20-\x7e]/.test(word));
  const text = (needsReading ? textsOf(JSON.parse(json)).join("\n") : json).toLowerCase();
  if (!words.every((word) => text.includes(word))) return false;
  return (
    needsReading || words.every((word) => textsOf(JSON.parse(json)).some((part) => part.toLowerCase().includes(word)))
  );
}

/** Returns all strings of a value, except keys. */
function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => (key === "type" || key === "id" ? [] : textsOf(item)));
}
