import { describeFaults } from "../../support/fault-matrix.ts";
import {
  answer,
  call,
  callAdded,
  callDelta,
  callDone,
  gpt6,
  itemAdded,
  message,
  opening,
  reasoning,
  sse,
  textDelta,
} from "../../support/protocols/openai-responses/samples.ts";

const ERROR_TYPES: Record<number, string> = {
  400: "invalid_request_error",
  401: "invalid_request_error",
  403: "invalid_request_error",
  404: "invalid_request_error",
  429: "requests",
};
const ERROR_CODES: Record<number, string> = {
  401: "invalid_api_key",
  404: "model_not_found",
  429: "rate_limit_exceeded",
};

describeFaults("openai-responses", {
  model: (baseUrl) => ({ ...gpt6, baseUrl: `${baseUrl}/v1` }),
  text: answer(reasoning(0, ["Grüße → ok"]), message(1, ["Hä", "llo wör", "ld 🌍"])),
  toolCall: answer(call(0, "read", '{"path":', '"a.', 'txt"}')),
  brokenToolCall: answer(call(0, "read", '{"path":', '"a.t')),
  interleavedToolCalls: answer(
    callAdded(0, "read"),
    callAdded(1, "grep"),
    callDelta(0, '{"path":"'),
    callDelta(1, '{"pattern"'),
    callDelta(0, 'a.txt"}'),
    callDelta(1, ':"x"}'),
    callDone(0, "read", '{"path":"a.txt"}'),
    callDone(1, "grep", '{"pattern":"x"}'),
  ),
  errorInStream: [
    opening,
    itemAdded(0, { id: "msg_0", type: "message", status: "in_progress", role: "assistant", content: [] }),
    textDelta(0, "Hal"),
    sse({ type: "error", sequence_number: 5, code: "server_is_overloaded", message: "Overloaded", param: null }),
  ].join(""),
  empty: answer(),
  unknownEvent: sse({ type: "response.rendering.progress", sequence_number: 2, percent: 12 }),
  errorBody: (status, text) =>
    JSON.stringify({
      error: {
        message: text,
        type: ERROR_TYPES[status] ?? "server_error",
        param: null,
        code: ERROR_CODES[status] ?? null,
      },
    }),
});
