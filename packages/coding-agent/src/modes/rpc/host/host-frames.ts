import type { Static } from "typebox";
import { Type } from "../../../schemas/type.ts";

// The frames around what waits for the host. Schemas are built when they are asked for, as in rpc-types.ts.

const timeout = () => Type.Optional(Type.Integer({ description: "ms; informative, the server keeps the time" }));

function uiRequest<M extends string, P extends Parameters<typeof Type.Object>[0]>(method: M, fields: P) {
  return Type.Object({
    type: Type.Literal("extension_ui_request"),
    id: Type.String(),
    method: Type.Literal(method),
    ...fields,
  });
}

const uiRequests = () =>
  Type.Union([
    uiRequest("select", {
      title: Type.String(),
      options: Type.Array(Type.String()),
      optionDetails: Type.Optional(Type.Array(Type.Object({ description: Type.Optional(Type.String()) }))),
      timeout: timeout(),
    }),
    uiRequest("confirm", { title: Type.String(), message: Type.String(), timeout: timeout() }),
    uiRequest("input", { title: Type.String(), placeholder: Type.Optional(Type.String()), timeout: timeout() }),
    uiRequest("editor", {
      title: Type.String(),
      prefill: Type.Optional(Type.String()),
      promptStyle: Type.Optional(Type.Boolean()),
    }),
    uiRequest("cancel", { targetId: Type.String({ description: "id of a dialog that is no longer wanted" }) }),
    uiRequest("notify", {
      message: Type.String(),
      notifyType: Type.Optional(
        Type.Union([Type.Literal("info"), Type.Literal("warning"), Type.Literal("error")], {
          description: "absent means info",
        }),
      ),
    }),
    uiRequest("setStatus", {
      statusKey: Type.String(),
      statusText: Type.Optional(Type.String({ description: "absent means clear" })),
    }),
    uiRequest("setWidget", {
      widgetKey: Type.String(),
      widgetLines: Type.Optional(Type.Array(Type.String(), { description: "absent means clear" })),
      widgetPlacement: Type.Optional(Type.Union([Type.Literal("aboveEditor"), Type.Literal("belowEditor")])),
    }),
    uiRequest("setTitle", { title: Type.String() }),
    uiRequest("set_editor_text", { text: Type.String() }),
  ]);

const trustItem = () =>
  Type.Object({
    kind: Type.Union([
      Type.Literal("extension"),
      Type.Literal("custom_tool"),
      Type.Literal("hook"),
      Type.Literal("mcp_server"),
      Type.Literal("command"),
      Type.Literal("setting"),
    ]),
    name: Type.String(),
    path: Type.String(),
    digest: Type.String(),
  });

/** From the server to the host. */
export const questionFrames = {
  host_tool_call: () =>
    Type.Object({
      type: Type.Literal("host_tool_call"),
      id: Type.String(),
      toolCallId: Type.String({ description: "the model's id, as in the tool_execution_* events around it" }),
      toolName: Type.String(),
      arguments: Type.Record(Type.String(), Type.Unknown()),
    }),
  host_tool_cancel: () =>
    Type.Object({
      type: Type.Literal("host_tool_cancel"),
      id: Type.String(),
      targetId: Type.String({ description: "id of the call; it need not be answered any more" }),
    }),
  extension_ui_request: uiRequests,
  trust_request: () =>
    Type.Object({
      type: Type.Literal("trust_request"),
      id: Type.String(),
      project: Type.String(),
      digest: Type.String(),
      timeout: Type.Integer(),
      items: Type.Array(trustItem()),
    }),
  trust_resolved: () =>
    Type.Object({
      type: Type.Literal("trust_resolved"),
      id: Type.String(),
      trusted: Type.Boolean(),
      by: Type.Union([
        Type.Literal("host"),
        Type.Literal("timeout"),
        Type.Literal("abort"),
        Type.Literal("disconnect"),
      ]),
    }),
};

type QuestionFrames = { [T in keyof typeof questionFrames]: Static<ReturnType<(typeof questionFrames)[T]>> };
export type HostToolFrame = QuestionFrames["host_tool_call"] | QuestionFrames["host_tool_cancel"];
export type UiRequestFrame = QuestionFrames["extension_ui_request"];
export type TrustFrame = QuestionFrames["trust_request"] | QuestionFrames["trust_resolved"];
export type TrustItem = Static<ReturnType<typeof trustItem>>;
export type QuestionFrame = QuestionFrames[keyof QuestionFrames];

const answer = <T extends string, P extends Parameters<typeof Type.Object>[0]>(type: T, fields: P) =>
  Type.Object({ type: Type.Literal(type), id: Type.String(), ...fields });
const toolResult = () => Type.Object({ content: Type.Array(Type.Unknown()), details: Type.Optional(Type.Unknown()) });

/** From the host to the server; none of them gets a response. What comes is read leniently, this is what should come. */
export const answerFrames = {
  extension_ui_response: () =>
    Type.Union([
      answer("extension_ui_response", { value: Type.String() }),
      answer("extension_ui_response", { confirmed: Type.Boolean() }),
      answer("extension_ui_response", { cancelled: Type.Literal(true), timedOut: Type.Optional(Type.Boolean()) }),
    ]),
  host_tool_update: () => answer("host_tool_update", { partialResult: toolResult() }),
  host_tool_result: () => answer("host_tool_result", { result: toolResult(), isError: Type.Optional(Type.Boolean()) }),
  trust_response: () => answer("trust_response", { trusted: Type.Boolean(), remember: Type.Optional(Type.Boolean()) }),
};
