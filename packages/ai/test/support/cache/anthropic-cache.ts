import { createHash } from "node:crypto";
import type { ReceivedRequest } from "../loopback-server.ts";

type Body = ReceivedRequest["body"];

/** The result of one request, in tokens. `read + written + fresh` is its total. */
export interface CacheReading {
  read: number;
  written: number;
  fresh: number;
  total: number;
  /** The fraction of the request that was read from the cache, 0 to 1. */
  share: number;
}

interface Block {
  kind: string;
  isMarked: boolean;
  /** Hash of everything up to the end of this block. */
  hash: string;
  tokens: number;
}

const MOST_MARKS = 4;
/** The marked block is checked first. */
const LOOKBACK_BLOCKS = 20;
const UNMARKABLE = new Set(["thinking", "redacted_thinking"]);

/**
 * The prompt cache of the Messages API by its documented rules. A prefix is stored only at marks and only from a
 * minimum size. Each mark looks for a stored prefix at its own block and at the 19 before it. Blocks are hashed in the
 * order tools, system, messages; the model and the tools affect everything, tool choice and thinking only the messages.
 */
export class AnthropicCache {
  readonly readings: CacheReading[] = [];
  readonly #stored = new Set<string>();
  readonly #smallest: number;

  constructor({ smallest = 1024 }: { smallest?: number } = {}) {
    this.#smallest = smallest;
  }

  /** Throws if the API would answer 400. */
  take(body: Body): CacheReading {
    const blocks = toBlocks(body);
    const marks = blocks.flatMap(({ isMarked }, index) => (isMarked ? [index] : []));
    if (marks.length > MOST_MARKS) throw new Error(`a maximum of 4 blocks with cache_control, found ${marks.length}`);
    const unmarkable = marks.find((index) => UNMARKABLE.has(blocks[index]!.kind));
    if (unmarkable !== undefined) throw new Error(`cache_control on a block of ${blocks[unmarkable]!.kind}`);

    const end = Math.max(-1, ...marks.map((mark) => this.#longestStored(blocks, mark)));
    const fitting = marks.filter((mark) => blocks[mark]!.tokens >= this.#smallest);
    for (const mark of fitting) this.#stored.add(blocks[mark]!.hash);

    const total = blocks.at(-1)?.tokens ?? 0;
    const read = blocks[end]?.tokens ?? 0;
    const stored = Math.max(read, blocks[fitting.at(-1) ?? -1]?.tokens ?? 0);
    const reading = { read, written: stored - read, fresh: total - stored, total, share: total > 0 ? read / total : 0 };
    this.readings.push(reading);
    return reading;
  }

  /** Expired entries are removed. */
  expire(): void {
    this.#stored.clear();
  }

  #longestStored(blocks: readonly Block[], mark: number): number {
    for (let at = mark; at > mark - LOOKBACK_BLOCKS && at >= 0; at -= 1) {
      if (this.#stored.has(blocks[at]!.hash)) return at;
    }
    return -1;
  }
}

function toBlocks(body: Body): Block[] {
  const { model, tools = [], system = [], messages, tool_choice, thinking } = body;
  const systemBlocks = typeof system === "string" ? [{ type: "text", text: system }] : system;
  const blocks: Block[] = [];
  let hash = digest("", model);
  let bytes = 0;
  const add = (place: string, { cache_control, ...block }: { type?: string; cache_control?: object }) => {
    const text = JSON.stringify(block);
    hash = digest(hash, `${place} ${text}`);
    bytes += Buffer.byteLength(text);
    const kind = block.type ?? place;
    blocks.push({ kind, isMarked: cache_control !== undefined, hash, tokens: Math.ceil(bytes / 4) });
  };
  for (const tool of tools) add("tool", tool);
  for (const block of systemBlocks) add("system", block);
  hash = digest(hash, JSON.stringify([tool_choice, thinking]));
  for (const { role, content } of messages) {
    const list = typeof content === "string" ? [{ type: "text", text: content }] : content;
    for (const block of list) add(role, block);
  }
  return blocks;
}

function digest(before: string, text: string): string {
  return createHash("sha256").update(before).update(text).digest("base64");
}
