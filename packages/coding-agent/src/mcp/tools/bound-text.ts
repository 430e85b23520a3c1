import type { ToolResult } from "@pintle/agent";
import { textsOf } from "@pintle/ai";
import { OutputSpill } from "@pintle/exec";
import { countLines, cutToBytes } from "@pintle/foundation";
import type { ResultContext } from "./tool-result.ts";

type Block = ToolResult["content"][number];

/** As other tools describe a result that does not show everything. */
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

/** The beginning of the text, as much as every tool may show; the whole goes into a file. */
export async function boundText(blocks: readonly Block[], context: ResultContext): Promise<BoundBlocks> {
  const maxLines = context.settings.get("tools.maxOutputLines");
  const maxBytes = context.settings.get("tools.maxOutputBytes");
  const texts = textsOf(blocks);
  const total = measure(texts.join("\n"));
  if (total.lines <= maxLines && total.bytes <= maxBytes) return { bounded: [...blocks], details: {} };

  const room = { lines: maxLines, bytes: maxBytes };
  const shown = blocks.flatMap((block): Block[] => {
    if (block.type !== "text") return [block];
    const text = firstLines(block.text, room);
    const size = measure(text);
    room.lines -= size.lines;
    room.bytes -= size.bytes;
    return text === "" ? [] : [{ type: "text", text }];
  });
  const path = await spill(texts.join("\n"), context);
  const [outputLines, outputBytes] = [maxLines - room.lines, maxBytes - room.bytes];
  const where = path === undefined ? "The rest was not kept." : `Full output: ${path}`;
  const size = `${outputLines} of ${total.lines} lines, ${outputBytes} of ${total.bytes} bytes`;
  return {
    bounded: [...shown, { type: "text", text: `[Only the beginning is shown: ${size}. ${where}]` }],
    details: {
      truncation: {
        truncated: true,
        truncatedBy: room.lines <= 0 ? "lines" : "bytes",
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
function firstLines(text: string, room: { lines: number; bytes: number }): string {
  const bytes = Buffer.from(text);
  if (room.lines <= 0 || room.bytes <= 0) return "";
  let end = 0;
  for (let line = 0; line < room.lines && end < bytes.length; line += 1) {
    const newline = bytes.indexOf(0x0a, end);
    const next = newline === -1 ? bytes.length : newline + 1;
    if (next > room.bytes) break;
    end = next;
  }
  if (end > 0) return bytes.toString("utf8", 0, end).replace(/\n$/, "");
  return cutToBytes(text, room.bytes);
}

function measure(text: string): { lines: number; bytes: number } {
  return { lines: countLines(text), bytes: Buffer.byteLength(text) };
}

/** Returns undefined if it could not be stored, which is no reason to lose the rest. */
async function spill(text: string, { settings, newSpillPath }: ResultContext): Promise<string | undefined> {
  const maxBytes = settings.get("tools.maxSpillBytes");
  if (maxBytes <= 0) return undefined;
  const file = new OutputSpill({ newPath: newSpillPath, maxBytes });
  await file.write(Buffer.from(text));
  return (await file.finish()).path;
}
