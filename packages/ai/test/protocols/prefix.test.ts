import { expect, test } from "bun:test";
import type { ProviderMessage } from "../../src/messages.ts";
import type { Model } from "../../src/model.ts";
import { googleGenerativeAi } from "../../src/protocols/google-generative-ai/google-generative-ai.ts";
import { openaiCompletions } from "../../src/protocols/openai-completions/openai-completions.ts";
import { openaiResponses } from "../../src/protocols/openai-responses/openai-responses.ts";
import type { HttpProtocol, RequestOptions } from "../../src/protocols/protocol.ts";
import { OpenAiCache } from "../support/cache/openai-cache.ts";
import { assistantMessage } from "../support/protocols/anthropic-messages/samples.ts";
import { gemini } from "../support/protocols/google-generative-ai/samples.ts";
import { gpt } from "../support/protocols/openai-completions/samples.ts";
import { gpt6 } from "../support/protocols/openai-responses/samples.ts";

const tools = Array.from({ length: 12 }, (_, n) => ({
  name: `tool_${n}`,
  description: `Does ${n}. `.repeat(40),
  parameters: { type: "object", properties: { path: { type: "string" } } },
}));
const systemPrompt = "How to work. ".repeat(100);
const reasoning: Model = { ...gpt, reasoning: true };

/** What a user may change in the middle of a conversation, and what pintle itself changes for one request. */
const CHANGES: Record<string, RequestOptions> = {
  "a higher thinking level": { thinkingLevel: "high" },
  "no thinking": { thinkingLevel: "off" },
  "a forced tool": { thinkingLevel: "low", toolChoice: { name: "tool_3" } },
  "a limit of the answer": { thinkingLevel: "low", maxTokens: 2000 },
};

function conversation(model: Model): ProviderMessage[] {
  const call = { type: "toolCall" as const, id: "call_1", name: "tool_1", arguments: { path: "a" } };
  const thought = { type: "thinking" as const, thinking: "let me see" };
  return [
    { role: "user", content: "Begin", timestamp: 1 },
    assistantMessage([thought, { type: "text", text: "I look" }, call], model),
    {
      role: "toolResult",
      toolCallId: "call_1",
      toolName: "tool_1",
      isError: false,
      timestamp: 1,
      content: [{ type: "text", text: "content ".repeat(500) }],
    },
  ];
}

const APIS: readonly [string, HttpProtocol, Model][] = [
  ["openai-responses", openaiResponses, gpt6],
  ["openai-completions", openaiCompletions, reasoning],
];

for (const [api, protocol, model] of APIS) {
  test.each(Object.entries(CHANGES))(`${api} reads everything sent before, with %s`, (_name, options) => {
    const cache = new OpenAiCache();
    const send = (messages: ProviderMessage[], more: RequestOptions) =>
      cache.take(
        protocol.request(model, { systemPrompt, tools, messages }, { thinkingLevel: "low", sessionId: "s", ...more })
          .body,
      );
    const messages = conversation(model);
    const first = send(messages, {});
    const answer = assistantMessage([{ type: "text", text: "answer" }], model);
    const second = send([...messages, answer, { role: "user", content: "more", timestamp: 1 }], options);
    expect(first.read).toBe(0);
    expect(first.total - second.read).toBeLessThan(128);
  });
}

test.each(Object.entries(CHANGES))("google-generative-ai sends earlier content unchanged, with %s", (_n, options) => {
  const messages = conversation(gemini);
  const send = (more: RequestOptions) => {
    const { body } = googleGenerativeAi.request(gemini, { systemPrompt, tools, messages }, more);
    const { systemInstruction, tools: sent, contents } = body as Record<string, unknown>;
    return { systemInstruction, sent, contents };
  };
  expect(send(options)).toEqual(send({ thinkingLevel: "low" }));
});
