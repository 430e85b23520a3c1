import type { HttpProtocol } from "../protocol.ts";
import { ResponsesDecoder } from "./decoder.ts";
import { toRequest } from "./request.ts";

/** OpenAI's newer API, the only one in which its models can think and call tools in one answer. */
export const openaiResponses: HttpProtocol = {
  request: toRequest,
  decoder: (model, out) => new ResponsesDecoder(model, out),
};
