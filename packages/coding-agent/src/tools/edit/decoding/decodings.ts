import type { DecodedPair, Decoding, TextPair } from "./decoding.ts";
import { doubleHyphens } from "./double-hyphens.ts";
import { entities, entitiesButAmpersands } from "./entities.ts";
import { allEscapes, escapedBreaks, escapedBreaksOfLines, escapedQuotes } from "./escapes.ts";
import { lineNumbers } from "./line-numbers.ts";

/** In the order in which they are tried, alone and then two together. */
const DECODINGS: readonly Decoding[] = [
  lineNumbers,
  allEscapes,
  escapedBreaks,
  escapedBreaksOfLines,
  escapedQuotes,
  entities,
  entitiesButAmpersands,
  doubleHyphens,
];

export interface Decoded extends DecodedPair {
  told: string;
  isWholeLines: boolean;
}

export function* decodings(pair: TextPair): Generator<Decoded> {
  const tried = new Set([pair.oldText]);
  const alone: { decoding: Decoding; decoded: TextPair }[] = [];
  for (const decoding of DECODINGS) {
    const decoded = decoding.decode(pair);
    if (!decoded) continue;
    yield { ...decoded, told: decoding.told, isWholeLines: decoding.isWholeLines === true };
    tried.add(decoded.oldText);
    if (decoded.newText !== undefined) alone.push({ decoding, decoded: { ...decoded, newText: decoded.newText } });
  }
  for (const first of alone) {
    for (const second of DECODINGS) {
      const decoded = second === first.decoding ? undefined : second.decode(first.decoded);
      if (!decoded || tried.has(decoded.oldText)) continue;
      tried.add(decoded.oldText);
      const isWholeLines = [first.decoding, second].some((decoding) => decoding.isWholeLines === true);
      yield { ...decoded, told: `${first.decoding.told} and ${second.told}`, isWholeLines };
    }
  }
}
