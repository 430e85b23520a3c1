import { cutText } from "@pintle/ai";

export const MAX_DESCRIBED = 8;
const MAX_DISTANCE = 40;
const MAX_LINE = 80;

/**
 * Places by their line numbers, each with the nearest line that tells it from the others: what an old text has to include to
 * be unique.
 */
export function describePlaces(
  text: string,
  numbers: readonly number[],
  { height, total }: { height: number; total: number },
): string {
  const lines = text.split("\n");
  const described = numbers.slice(0, MAX_DESCRIBED);
  const shown = [...new Set(described)];
  const telling = tellingLines(lines, shown, height);
  const list = shown.map((number, index) => {
    const line = telling?.[index];
    const times = described.filter((other) => other === number).length;
    if (times > 1) return `line ${number} (${times} times)`;
    return line ? `line ${number} (line ${line.number}: ${cutText(line.text, MAX_LINE)})` : `line ${number}`;
  });
  const rest = total - described.length;
  return `${list.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

interface TellingLine {
  number: number;
  text: string;
}

/** The lines at the same distance above or below that differ most; undefined if all surroundings are the same. */
function tellingLines(lines: readonly string[], numbers: readonly number[], height: number): TellingLine[] | undefined {
  let best: { kinds: number; found: TellingLine[] } | undefined;
  for (let distance = 1; distance <= MAX_DISTANCE; distance += 1) {
    for (const offset of [-distance, height - 1 + distance]) {
      const found = numbers.map((number) => ({
        number: number + offset,
        text: lines[number + offset - 1]?.trim() ?? "",
      }));
      if (found.some(({ text }) => text === "")) continue;
      const kinds = new Set(found.map(({ text }) => text)).size;
      if (kinds > (best?.kinds ?? 1)) best = { kinds, found };
      if (kinds === numbers.length) return found;
    }
  }
  return best?.found;
}
