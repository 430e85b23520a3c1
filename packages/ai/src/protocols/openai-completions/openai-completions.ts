import type { HttpProtocol } from "../protocol.ts";
import { CompletionsDecoder } from "./decoder.ts";
import { toRequest } from "./request.ts";

/** OpenAI's chat completions API and everything that claims to be compatible with it. */
export const openaiCompletions: HttpProtocol = {
  request: toRequest,
  decoder: (model, out) => new CompletionsDecoder(model, out),
};
