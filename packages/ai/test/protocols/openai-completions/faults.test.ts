import { describeFaults } from "../../support/fault-matrix.ts";
import { answer, call, chunk, event, gpt, opening, text } from "../../support/protocols/openai-completions/samples.ts";

const readCall = call({ index: 0, id: "call_9pw1", name: "read", args: "" });

describeFaults("openai-completions", {
  model: (baseUrl) => ({ ...gpt, baseUrl: `${baseUrl}/v1` }),
  text: answer(
    "stop",
    chunk({ reasoning_content: "Grüße" }),
    chunk({ reasoning_content: " → ok" }),
    text("Hällo"),
    text(" wörld "),
    text("🌍"),
  ),
  toolCall: answer("tool_calls", readCall, call({ index: 0, args: '{"pa' }), call({ index: 0, args: 'th":"a.txt"}' })),
  brokenToolCall: answer(
    "tool_calls",
    readCall,
    call({ index: 0, args: '{"pa' }),
    call({ index: 0, args: 'th":"a.t' }),
  ),
  interleavedToolCalls: answer(
    "tool_calls",
    readCall,
    call({ index: 1, id: "call_7hx3", name: "grep", args: '{"pat' }),
    call({ index: 0, args: '{"path"' }),
    call({ index: 1, args: 'tern":' }),
    call({ index: 0, args: ':"a.txt"}' }),
    call({ index: 1, args: '"x"}' }),
  ),
  errorInStream: [
    opening,
    text("Hal"),
    event({ error: { message: "The server is overloaded", type: "overloaded_error", code: null, param: null } }),
  ].join(""),
  empty: answer("stop"),
  unknownEvent: 'event: vendor.progress\ndata: {"object":"vendor.progress","percent":12}\n\n',
  errorBody: (status, message) =>
    JSON.stringify({
      error: { message, type: ERROR_TYPES[status] ?? "server_error", param: null, code: ERROR_CODES[status] ?? null },
    }),
  trailingEvents: 2,
});

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
