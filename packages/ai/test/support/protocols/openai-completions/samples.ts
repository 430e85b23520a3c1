import type { Model } from "../../../../src/model.ts";

export const gpt: Model = {
  id: "gpt-test",
  name: "GPT Test",
  api: "openai-completions",
  provider: "openai",
  baseUrl: "https://api.openai.com/v1",
  reasoning: true,
  input: ["text", "image"],
  cost: { input: 2, output: 8, cacheRead: 0.5, cacheWrite: 0 },
  contextWindow: 128_000,
  maxTokens: 16_000,
};

const HEAD =
  '"id":"chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT","object":"chat.completion.chunk","created":1741569952,"model":"gpt-test","service_tier":"default","system_fingerprint":"fp_44709d6fcb"';

/** One chunk as OpenAI frames it. */
export function chunk(delta: object, finishReason: string | null = null): string {
  return `data: {${HEAD},"choices":[{"index":0,"delta":${JSON.stringify(delta)},"logprobs":null,"finish_reason":${JSON.stringify(finishReason)}}],"usage":null}\n\n`;
}

/** Any chunk of a compatible server. */
export function event(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

export const opening = chunk({ role: "assistant", content: "", refusal: null });
export const done = "data: [DONE]\n\n";
export const statistics = `data: {${HEAD},"choices":[],"usage":{"prompt_tokens":1117,"completion_tokens":46,"total_tokens":1163,"prompt_tokens_details":{"cached_tokens":1024,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}}}\n\n`;

/** A whole answer around the given chunks. */
export function answer(finishReason: string, ...chunks: string[]): string {
  return [opening, ...chunks, chunk({}, finishReason), statistics, done].join("");
}

export function text(content: string): string {
  return chunk({ content });
}

interface CallDelta {
  index?: number | null;
  id?: string | null;
  name?: string | null;
  args?: unknown;
}

/** A fragment of a tool call; omitted fields are not sent. */
export function call({ index, id, name, args }: CallDelta): string {
  const named = { ...(name !== undefined && { name }), ...(args !== undefined && { arguments: args }) };
  return chunk({
    tool_calls: [
      {
        ...(index !== undefined && { index }),
        ...(id !== undefined && { id, type: "function" }),
        ...(Object.keys(named).length > 0 && { function: named }),
      },
    ],
  });
}
