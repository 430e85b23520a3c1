import { estimateTextTokens } from "@pintle/ai";
import { summaryFailed } from "../compaction-error.ts";
import { type SummaryPrompt, summaryPrompt } from "./summary-prompts.ts";
import { SummaryOverflow } from "./summary-request.ts";

const MAX_HALVINGS = 6;
/** A smaller chunk would contain less than its surrounding instructions. */
const LEAST_CHUNK_TOKENS = 500;

export interface FoldRequest extends Omit<SummaryPrompt, "conversation"> {
  /** The conversation, one string per message. */
  texts: readonly string[];
  maxTokens: number;
  /** Token limit of a request, excluding the answer. */
  inputTokens: number;
}

export type AskForSummary = (prompt: { text: string; maxTokens: number }) => Promise<string>;

/**
 * Summarizes any amount of text. Text that does not fit into one request is split, and each piece is sent with the summary of
 * what came before it.
 */
export async function foldSummary(request: FoldRequest, ask: AskForSummary): Promise<string> {
  const { texts, maxTokens, inputTokens, previousSummary, ...prompt } = request;
  const reader = new ChunkReader(texts);
  let summary = previousSummary;
  let budget = inputTokens;
  let halvings = 0;
  for (;;) {
    // A summary that leaves no space for anything else must itself be summarized.
    if (summary !== undefined && estimateTextTokens(summary) > budget / 2) {
      reader.putBack(`[System note earlier summary]: ${summary}`);
      summary = undefined;
    }
    const around = { ...prompt, ...(summary !== undefined && { previousSummary: summary }) };
    const free = budget - estimateTextTokens(summaryPrompt({ ...around, conversation: "" }));
    const chunk = reader.peek(Math.max(free, LEAST_CHUNK_TOKENS));
    const text = summaryPrompt({ ...around, conversation: chunk.text });
    const shorter = Math.max(1, Math.min(maxTokens, Math.floor(budget / 3)));
    try {
      summary = await ask({ text, maxTokens: chunk.isLast ? maxTokens : shorter });
    } catch (error) {
      if (!(error instanceof SummaryOverflow)) throw error;
      halvings += 1;
      if (halvings > MAX_HALVINGS) throw summaryFailed(error.message);
      budget = Math.floor(Math.min(budget, estimateTextTokens(text)) / 2);
      continue;
    }
    if (chunk.isLast) return summary;
    chunk.take();
    // Stop if the model keeps writing more than it was asked for.
    summary = summary.slice(0, fittingLength(summary, Math.floor(budget / 2)));
  }
}

/** Splits strings into pieces of a given size. A string is split only if it does not fit into one piece. */
class ChunkReader {
  #texts: readonly string[];
  #at = 0;
  /** Characters already taken from the text at `#at`. */
  #offset = 0;

  constructor(texts: readonly string[]) {
    this.#texts = texts;
  }

  /** Text to read before the rest. */
  putBack(text: string): void {
    const [first, ...rest] = this.#texts.slice(this.#at);
    this.#texts = [text, ...(first === undefined ? [] : [first.slice(this.#offset)]), ...rest];
    [this.#at, this.#offset] = [0, 0];
  }

  /** Returns as many strings as fit, at least a part of the first. They stay queued until they are taken. */
  peek(maxTokens: number): { text: string; isLast: boolean; take(): void } {
    const parts: string[] = [];
    let [at, offset] = [this.#at, this.#offset];
    for (let used = 0; at < this.#texts.length; at += 1, offset = 0) {
      const text = this.#texts[at]!.slice(offset);
      used += estimateTextTokens(text) + 1;
      if (used <= maxTokens) parts.push(text);
      else {
        if (parts.length > 0) break;
        const length = fittingLength(text, maxTokens);
        parts.push(text.slice(0, length));
        if (length < text.length) {
          offset += length;
          break;
        }
      }
    }
    const take = () => {
      [this.#at, this.#offset] = [at, offset];
    };
    return { text: parts.join("\n\n"), isLast: at >= this.#texts.length, take };
  }
}

/** Returns how much of the beginning fits, at least one character, without splitting any. */
function fittingLength(text: string, maxTokens: number): number {
  let end = Math.min(text.length, maxTokens * 4);
  while (end > 2 && estimateTextTokens(text.slice(0, end)) > maxTokens) end = Math.floor(end / 2);
  const code = text.charCodeAt(end - 1);
  const isSplit = end > 1 && end < text.length && code >= 0xd800 && code <= 0xdbff;
  return isSplit ? end - 1 : end;
}
