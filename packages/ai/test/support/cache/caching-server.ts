import {
  type LoopbackServer,
  type ReceivedRequest,
  type Respond,
  sendEvents,
  startLoopbackServer,
} from "../loopback-server.ts";
import { AnthropicCache, type CacheReading } from "./anthropic-cache.ts";

/** Events of an answer, as `answer` of the samples creates them; their usage is replaced by the cache's. */
export type CachedAnswer = string | ((request: ReceivedRequest, index: number) => string);

export interface CachingServer extends LoopbackServer {
  cache: AnthropicCache;
  /** Per request, in order. */
  readings: readonly CacheReading[];
}

/** The Messages API on loopback with a cache that follows its rules: every answer reports what was read and written. */
export async function startCachingAnthropic(
  answers: readonly CachedAnswer[],
  options: { smallest?: number } = {},
): Promise<CachingServer> {
  const cache = new AnthropicCache(options);
  let asked = 0;
  const respond: Respond = (response, request, socket) => {
    const answer = answers[Math.min(asked, answers.length - 1)] ?? "";
    asked += 1;
    const reading = cache.take(request.body);
    const text = typeof answer === "string" ? answer : answer(request, asked - 1);
    return sendEvents(withUsage(text, reading))(response, request, socket);
  };
  const server = await startLoopbackServer(respond);
  return Object.assign(server, { cache, readings: cache.readings });
}

/** Applies to all events that report usage. */
function withUsage(events: string, { read, written, fresh }: CacheReading): string {
  return events
    .replaceAll(/"input_tokens":\d+/g, `"input_tokens":${fresh}`)
    .replaceAll(/"cache_creation_input_tokens":\d+/g, `"cache_creation_input_tokens":${written}`)
    .replaceAll(/"cache_read_input_tokens":\d+/g, `"cache_read_input_tokens":${read}`);
}
