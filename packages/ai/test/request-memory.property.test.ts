import { expect, test } from "bun:test";
import fc from "fast-check";
import type { GrowingList } from "../src/growing-list.ts";
import type { AssistantContent, ProviderMessage } from "../src/messages.ts";
import type { Model } from "../src/model.ts";
import { anthropicMessages } from "../src/protocols/anthropic-messages/anthropic-messages.ts";
import { googleGenerativeAi } from "../src/protocols/google-generative-ai/google-generative-ai.ts";
import { openaiCompletions } from "../src/protocols/openai-completions/openai-completions.ts";
import { openaiResponses } from "../src/protocols/openai-responses/openai-responses.ts";
import type { HttpProtocol, PreparedRequest } from "../src/protocols/protocol.ts";
import { RequestMemory } from "../src/request-memory.ts";
import { openEventStream } from "../src/transport/http.ts";
import { conversations, type Dialect } from "./support/conversation-arbitrary.ts";
import { claude } from "./support/protocols/anthropic-messages/samples.ts";
import { gemini, gemini25 } from "./support/protocols/google-generative-ai/samples.ts";
import { gpt } from "./support/protocols/openai-completions/samples.ts";
import { gpt6 } from "./support/protocols/openai-responses/samples.ts";

const runs = { numRuns: Number(process.env.PINTLE_PROPERTY_RUNS ?? 60), seed: 5 };

const TARGETS: readonly [HttpProtocol, Model][] = [
  [anthropicMessages, claude],
  [openaiCompletions, { ...gpt, input: ["text", "image"] }],
  [openaiCompletions, { ...gpt, id: "marked", compat: { cacheControlFormat: "anthropic" } }],
  [openaiCompletions, { ...gpt, id: "bridged", compat: { requiresAssistantAfterToolResult: true } }],
  [openaiResponses, gpt6],
  [googleGenerativeAi, gemini],
  [googleGenerativeAi, gemini25],
];

const dialects = TARGETS.map(
  ([, model]): Dialect => ({
    model,
    answer: (blocks, { mark, call }) =>
      blocks.map(({ kind, text, isSigned }, index): AssistantContent => {
        if (kind === "hidden") return { type: "redactedThinking", data: mark(index) };
        if (kind === "text") return { type: "text", text: isSigned ? `${text}\ud800` : text };
        if (kind === "call") return { type: "toolCall", id: call(index), name: "read", arguments: { path: text } };
        return { type: "thinking", thinking: text, ...(isSigned && { thinkingSignature: mark(index) }) };
      }),
  }),
);

/** What the server receives. */
async function sent(request: PreparedRequest, list?: GrowingList): Promise<string> {
  let body = "";
  const fetch = async (_url: string, init: RequestInit) => {
    body = String(init.body);
    return new Response("", { headers: { "content-type": "text/event-stream" } });
  };
  await openEventStream(request, { fetch, signal: new AbortController().signal, list });
  return body;
}

test("a request from the memory of a conversation has the same bytes as one without", async () => {
  const ends = fc.array(fc.nat(40), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(conversations(dialects), ends, async ({ messages }, lengths) => {
      const memory = new RequestMemory();
      // Mostly growing, sometimes cut as by a compaction; sent to several models, alternating or one after another.
      for (const order of [lengths.toSorted((a, b) => a - b), lengths]) {
        for (const [protocol, model] of TARGETS) {
          for (const length of order) {
            const context = { systemPrompt: "Be brief.", messages: messages.slice(0, length) as ProviderMessage[] };
            const kept = protocol.request(model, context, { memory });
            const fresh = protocol.request(model, context, {});
            expect(await sent(kept, memory.list)).toBe(await sent(fresh));
            expect(JSON.stringify(kept.prefix)).toBe(JSON.stringify(fresh.prefix));
          }
        }
      }
    }),
    runs,
  );
}, 120_000);

test("a longer conversation keeps the objects of its earlier messages", () => {
  const memory = new RequestMemory();
  const user = (content: string): ProviderMessage => ({ role: "user", content, timestamp: 1 });
  const messages = Array.from({ length: 20 }, (_, index) => user(`message ${index}`));
  const first = openaiCompletions.request(gpt, { messages: messages.slice(0, 15) }, { memory }).prefix.messages;
  const second = openaiCompletions.request(gpt, { messages }, { memory }).prefix.messages;
  expect(second).toHaveLength(20);
  expect(second.filter((message, index) => message === first[index])).toHaveLength(15);
});
