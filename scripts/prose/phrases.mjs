// Finds phrases of the table in a file, and compares their counts with the ceilings: { area: { kind: count } }.
import { readPassages } from "./passages.mjs";
import { PATTERNS } from "./patterns.mjs";

/** @typedef {{ file: string, area: string, line: number, kind: import("./passages.mjs").Kind, phrase: string, instead: string }} Phrase */

/** @returns {Phrase[]} */
export function findPhrases(file, source) {
  // The table and its tests quote what they forbid.
  if (/(^|\/)prose(\/|\.test\.)/.test(file)) return [];
  return readPassages(file, source).flatMap(({ kind, line, text }) =>
    PATTERNS.flatMap(({ pattern, instead }) =>
      [...blankMarkers(text).matchAll(pattern)].map(({ 0: phrase, index }) => ({
        file,
        area: areaOf(file),
        line: line + text.slice(0, index).split("\n").length - 1,
        kind,
        phrase,
        instead,
      })),
    ),
  );
}

/** Lets a phrase continue on the next line of a comment. Keeps every offset. */
function blankMarkers(text) {
  return text.replace(/(?<=\n\s*)[*#]/g, " ");
}

/** A package, or a top-level folder; pages in the root belong to docs. */
function areaOf(file) {
  const [top, name] = file.split("/");
  if (top === "packages") return `packages/${name}`;
  return file.includes("/") ? top : "docs";
}

/** @param {Phrase[]} phrases */
export function countPhrases(phrases) {
  const counts = {};
  for (const { area, kind } of phrases) {
    counts[area] ??= {};
    counts[area][kind] = (counts[area][kind] ?? 0) + 1;
  }
  return counts;
}

export function compareWithCeilings(ceilings, counts) {
  return Object.entries(counts).flatMap(([area, kinds]) =>
    Object.entries(kinds)
      .map(([kind, count]) => ({ area, kind, count, ceiling: ceilings[area]?.[kind] ?? 0 }))
      .filter(({ count, ceiling }) => count > ceiling),
  );
}

/** Ceilings only fall; one that reaches zero is removed. */
export function lowerCeilings(ceilings, counts) {
  const lowered = Object.entries(ceilings).map(([area, kinds]) => {
    const rows = Object.entries(kinds).map(([kind, ceiling]) => [kind, Math.min(ceiling, counts[area]?.[kind] ?? 0)]);
    return [area, Object.fromEntries(rows.filter(([, ceiling]) => ceiling > 0))];
  });
  return Object.fromEntries(lowered.filter(([, kinds]) => Object.keys(kinds).length > 0));
}
