import { type MarkdownBlock, markdownText, readBlocks } from "./blocks.ts";
import type { LinkDefinitions } from "./lexer.ts";

export interface OpenEnd {
  blocks: MarkdownBlock[];
  /** Blocks before this one are final, whatever follows. */
  open: number;
  /** The text from that block on. */
  rest: string;
}

/** Returns the blocks of text that may continue. `links` keeps the definitions of reference links for the rest. */
export function readOpenEnd(given: string, links?: LinkDefinitions): OpenEnd {
  const text = markdownText(given);
  const blocks = readBlocks(text, links);
  // The last line is incomplete, and its rest decides whether the block before it continues. Dashes may turn the line above them
  // into the head of a table, or may not.
  const last = text.lastIndexOf("\n") + 1;
  const unsure = /^[ |:-]*[|:-][ |:-]*$/.test(text.slice(last)) ? text.lastIndexOf("\n", last - 2) + 1 : last;
  const open = Math.max(
    0,
    blocks.findLastIndex(({ start }) => start < unsure),
  );
  return { blocks: blocks.map(({ block }) => block), open, rest: text.slice(blocks[open]?.start ?? 0) };
}
