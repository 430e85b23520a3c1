import type { ReceivedRequest } from "../loopback-server.ts";
import type { CacheReading } from "./anthropic-cache.ts";

type Body = ReceivedRequest["body"];

const SMALLEST_TOKENS = 1024;
const STEP_TOKENS = 128;

/**
 * The prompt cache of OpenAI's APIs by its documented rules: every request is stored automatically, found again by
 * requests with the same key and model, and read in steps of 128 tokens as far as the text matches, from 1024 tokens
 * on.
 */
export class OpenAiCache {
  readonly readings: CacheReading[] = [];
  readonly #stored = new Map<string, string[]>();

  take(body: Body): CacheReading {
    const text = toText(body);
    const known = this.#stored.get(keyOf(body)) ?? [];
    const common = Math.max(0, ...known.map((other) => commonPrefix(other, text)));
    this.#stored.set(keyOf(body), [...known, text]);
    const steps = Math.floor(common / 4 / STEP_TOKENS) * STEP_TOKENS;
    const total = Math.ceil(text.length / 4);
    const read = steps >= SMALLEST_TOKENS ? steps : 0;
    const reading = { read, written: 0, fresh: total - read, total, share: total > 0 ? read / total : 0 };
    this.readings.push(reading);
    return reading;
  }
}

function keyOf({ model, prompt_cache_key }: Body): string {
  return JSON.stringify([model, prompt_cache_key]);
}

/** In the order in which the model reads it, for both APIs. */
function toText({ tools = [], instructions, input = [], messages = [] }: Body): string {
  return [...tools, instructions, ...input, ...messages].map((part) => JSON.stringify(part) ?? "").join("\n");
}

function commonPrefix(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a.charCodeAt(length) === b.charCodeAt(length)) length += 1;
  return length;
}
