import { ResponsesDecoder } from "./openai-responses-decoder.ts";
import { toRequest } from "./openai-responses-request.ts";
import type { HttpProtocol } from "./protocol.ts";

/** OpenAI's newer API: the only one in which its models think and call tools in one answer. */
export const openaiResponses: HttpProtocol = {
  request: toRequest,
  decoder: (model, out) => new ResponsesDecoder(model, out),
};
