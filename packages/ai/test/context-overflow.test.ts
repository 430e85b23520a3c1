import { expect, test } from "bun:test";
import { isContextOverflowText } from "../src/context-overflow.ts";

test.each([
  "prompt is too long: 213462 tokens > 200000 maximum",
  "Input is too long for requested model.",
  "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length",
  "Your input exceeds the context window of this model. Please adjust your input and try again.",
  "This model's maximum context length is 128000 tokens. However, your messages resulted in 140000 tokens.",
  "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
  "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
  "Please reduce the length of the messages or completion.",
  "the request exceeds the available context size. try increasing the context size or enable context shift",
  "Trying to keep the first 9000 tokens when context the overflows. … is greater than the context length",
  "Invalid request: Your request exceeded model token limit: 262144",
  "context_length_exceeded",
  "context window exceeded",
  "token limit exceeded",
  "too many input tokens",
  "model_context_window_exceeded",
  "request_too_large: the request has 300000 tokens",
])("%j reports that the input does not fit", (text) => {
  expect(isContextOverflowText(text)).toBe(true);
});

test.each([
  "Rate limit reached: too many tokens, limit 30000 tokens per minute",
  "This request would exceed your organization's rate limit of 80,000 input tokens per minute",
  "request_too_large: Request exceeds the maximum size",
  "413 payload too large",
  "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum",
  "max_tokens: 300000 > 64000, which is the maximum allowed number of output tokens",
  "Overloaded",
  "",
])("%j does not", (text) => {
  expect(isContextOverflowText(text)).toBe(false);
});
