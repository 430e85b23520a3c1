import { type MarkdownBlock, markdownLines, readBlocks } from "./blocks.ts";

export interface OpenEnd {
  blocks: MarkdownBlock[];
  /** The blocks before this one are finished, whatever follows. */
  open: number;
  /** The text from there on. */
  rest: string;
}

/** The blocks of a text that may go on. */
export function readOpenEnd(text: string): OpenEnd {
  const lines = markdownLines(text);
  const blocks = readBlocks(lines);
  // The last line is not complete: what it will be decides whether the block before it goes on.
  const unsure = lines.length - 1;
  const open = Math.max(
    0,
    blocks.findLastIndex(({ start }) => start < unsure),
  );
  return { blocks: blocks.map(({ block }) => block), open, rest: lines.slice(blocks[open]?.start ?? 0).join("\n") };
}
