import type { ToolResult } from "@pintle/agent";
import { textsOf } from "@pintle/ai";
import { OutputSpill } from "@pintle/exec";
import { countLines, cutToBytes } from "@pintle/foundation";
import type { ResultContext } from "./tool-result.ts";

type Block = ToolResult["content"][number];

/** Describes a truncated result, in the form that other tools use. */
export interface Truncation {
  truncated: true;
  truncatedBy: "lines" | "bytes";
  totalLines: number;
  totalBytes: number;
  outputLines: number;
  outputBytes: number;
  maxLines: number;
  maxBytes: number;
}

interface BoundBlocks {
  bounded: Block[];
  details: { truncation?: Truncation; fullOutputPath?: string };
}

/** Returns the beginning of the text, up to the limit of every tool, and stores the whole text in a file. */
export async function boundText(blocks: readonly Block[], context: ResultContext): Promise<BoundBlocks> {
  const maxLines = context.settings.get("tools.maxOutputLines");
  const maxBytes = context.settings.get("tools.maxOutputBytes");
  const texts = textsOf(blocks);
  const total = measure(texts.join("\n"));
  if (total.lines <= maxLines && total.bytes <= maxBytes) return { bounded: [...blocks], details: {} };

  const left = { lines: maxLines, bytes: maxBytes };
  const shown = blocks.flatMap((block): Block[] => {
    if (block.type !== "text") return [block];
    const text = firstLines(block.text, left);
    const size = measure(text);
    left.lines -= size.lines;
    left.bytes -= size.bytes;
    return text === "" ? [] : [{ type: "text", text }];
  });
  const path = await spill(texts.join("\n"), context);
  const [outputLines, outputBytes] = [maxLines - left.lines, maxBytes - left.bytes];
  const where = path === undefined ? "The rest was not stored." : `Full output: ${path}`;
  const size = `${outputLines} of ${total.lines} lines, ${outputBytes} of ${total.bytes} bytes`;
  return {
    bounded: [...shown, { type: "text", text: `[Only the beginning is shown: ${size}. ${where}]` }],
    details: {
      truncation: {
        truncated: true,
        truncatedBy: left.lines <= 0 ? "lines" : "bytes",
        totalLines: total.lines,
        totalBytes: total.bytes,
        outputLines,
        outputBytes,
        maxLines,
        maxBytes,
      },
      ...(path !== undefined && { fullOutputPath: path }),
    },
  };
}

/** Cuts at line ends, unless the first line is already too long. */
function firstLines(text: string, limit: { lines: number; bytes: number }): string {
  const bytes = Buffer.from(text);
  if (limit.lines <= 0 || limit.bytes <= 0) return "";
  let end = 0;
  for (let line = 0; line < limit.lines && end < bytes.length; line += 1) {
    const newline = bytes.indexOf(0x0a, end);
    const next = newline === -1 ? bytes.length : newline + 1;
    if (next > limit.bytes) break;
    end = next;
  }
  if (end > 0) return bytes.toString("utf8", 0, end).replace(/\n$/, "");
  return cutToBytes(text, limit.bytes);
}

function measure(text: string): { lines: number; bytes: number } {
  return { lines: countLines(text), bytes: Buffer.byteLength(text) };
}

/** Returns undefined if the text cannot be stored, so that the beginning is still shown. */
async function spill(text: string, { settings, newSpillPath }: ResultContext): Promise<string | undefined> {
  const maxBytes = settings.get("tools.maxSpillBytes");
  if (maxBytes <= 0) return undefined;
  const file = new OutputSpill({ newPath: newSpillPath, maxBytes });
  await file.write(Buffer.from(text));
  return (await file.finish()).path;
}
