import { describeFaults } from "../../support/fault-matrix.ts";
import {
  answer,
  blockDelta,
  blockStart,
  blockStop,
  claude,
  messageStart,
  ping,
  sse,
  textBlock,
  thinkingBlock,
  toolInput,
  toolStart,
} from "../../support/protocols/anthropic-messages/samples.ts";

const ERROR_TYPES: Record<number, string> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  504: "timeout_error",
  529: "overloaded_error",
};

describeFaults("anthropic-messages", {
  model: (baseUrl) => ({ ...claude, baseUrl }),
  text: answer("end_turn", thinkingBlock(0, "A greeting.", "EqQBsig=="), textBlock(1, "Hä", "llo wör", "ld 🌍")),
  toolCall: answer(
    "tool_use",
    toolStart(0, "toolu_01A", "read"),
    toolInput(0, ""),
    toolInput(0, '{"path":'),
    toolInput(0, '"a.'),
    toolInput(0, 'txt"}'),
    blockStop(0),
  ),
  brokenToolCall: answer(
    "tool_use",
    toolStart(0, "toolu_01A", "read"),
    toolInput(0, '{"path":'),
    toolInput(0, '"a.t'),
    blockStop(0),
  ),
  interleavedToolCalls: answer(
    "tool_use",
    toolStart(0, "toolu_01A", "read"),
    toolStart(1, "toolu_01B", "read"),
    toolInput(0, '{"path":"'),
    toolInput(1, '{"path"'),
    toolInput(0, 'a.txt"}'),
    toolInput(1, ':"b.txt"}'),
    blockStop(0),
    blockStop(1),
  ),
  errorInStream: [
    messageStart,
    ping,
    blockStart(0, { type: "text", text: "" }),
    blockDelta(0, { type: "text_delta", text: "Hello" }),
    sse({ type: "error", error: { details: null, type: "overloaded_error", message: "Overloaded" } }),
  ].join(""),
  empty: answer("end_turn"),
  unknownEvent: sse({ type: "message_annotation", annotation: { index: 0, text: "new" } }),
  errorBody: (status, message) =>
    JSON.stringify({
      type: "error",
      error: { type: ERROR_TYPES[status] ?? "api_error", message },
      request_id: "req_011CSHoEeqs5C35K2UUqR7Fy",
    }),
});
