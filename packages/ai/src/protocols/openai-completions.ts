import { CompletionsDecoder } from "./openai-completions-decoder.ts";
import { toRequest } from "./openai-completions-request.ts";
import type { HttpProtocol } from "./protocol.ts";

/** OpenAI's chat completions and everything that claims to be compatible with them. */
export const openaiCompletions: HttpProtocol = {
  request: toRequest,
  decoder: (model, out) => new CompletionsDecoder(model, out),
};
