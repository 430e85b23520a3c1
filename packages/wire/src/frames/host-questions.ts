import { Type } from "@pintle/ai/type";
import type { Static, TProperties } from "typebox";
import { trace } from "../fields.ts";
import { ref } from "../named-types.ts";
import { oneOf } from "../words.ts";

// What the server asks its host. Startup needs the names, so each schema is built on first use.

const timeout = () => Type.Optional(Type.Integer({ description: "ms; informative, the server enforces the deadline" }));

function uiRequest<M extends string, P extends TProperties>(method: M, fields: P) {
  return Type.Object({
    type: Type.Literal("extension_ui_request"),
    id: Type.String(),
    method: Type.Literal(method),
    ...fields,
  });
}

function hostRequest<T extends string, M extends string, P extends TProperties>(type: T, method: M, fields: P) {
  return Type.Object({ type: Type.Literal(type), id: Type.String(), method: Type.Literal(method), ...fields });
}

const absolute = () => Type.String({ description: "absolute, links followed" });

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
    uiRequest("cancel", {
      targetId: Type.String({ description: "id of a dialog that is no longer needed" }),
      reason: Type.Optional(Type.String({ description: "`answered`: another host of the session was first" })),
    }),
    uiRequest("notify", {
      message: Type.String(),
      notifyType: Type.Optional(
        oneOf(["info", "warning", "error"], {
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
      widgetPlacement: Type.Optional(oneOf(["aboveEditor", "belowEditor"])),
    }),
    uiRequest("setTitle", { title: Type.String() }),
    uiRequest("set_editor_text", { text: Type.String() }),
  ]);

const trustItem = () =>
  Type.Object({
    kind: oneOf(["extension", "custom_tool", "hook", "mcp_server", "command", "setting"]),
    name: Type.String(),
    path: Type.String(),
    digest: Type.String(),
  });

/** Frames from the server to the host. */
export const questionFrames = {
  host_tool_call: () =>
    Type.Object({
      type: Type.Literal("host_tool_call"),
      id: Type.String(),
      toolCallId: Type.String({ description: "the model's id, as in the surrounding tool_execution_* events" }),
      toolName: Type.String(),
      arguments: Type.Record(Type.String(), Type.Unknown()),
      redelivered: Type.Optional(
        Type.Literal(true, { description: "of a gateway: the call was sent before, to a connection that was lost" }),
      ),
      ...trace(),
    }),
  host_tool_cancel: () =>
    Type.Object({
      type: Type.Literal("host_tool_cancel"),
      id: Type.String(),
      targetId: Type.String({ description: "id of the call; an answer is no longer needed" }),
    }),
  host_fs_request: () =>
    Type.Union([
      hostRequest("host_fs_request", "read", { toolCallId: Type.String(), path: absolute(), timeout: timeout() }),
      hostRequest("host_fs_request", "write", {
        toolCallId: Type.String(),
        path: absolute(),
        content: Type.String(),
        timeout: timeout(),
      }),
      hostRequest("host_fs_request", "cancel", { targetId: Type.String({ description: "id of the request" }) }),
    ]),
  host_terminal_request: () =>
    Type.Union([
      hostRequest("host_terminal_request", "run", {
        toolCallId: Type.String(),
        command: Type.String({ description: "for a shell" }),
        cwd: absolute(),
        env: Type.Record(Type.String(), Type.String(), { description: "in addition to the terminal's own variables" }),
        timeout: timeout(),
      }),
      hostRequest("host_terminal_request", "cancel", {
        targetId: Type.String({ description: "id of the request; the command has to be ended" }),
      }),
    ]),
  host_uri_request: () =>
    Type.Object({
      type: Type.Literal("host_uri_request"),
      id: Type.String(),
      operation: oneOf(["read", "write"]),
      url: Type.String({ description: "as the model wrote it" }),
      content: Type.Optional(Type.String({ description: "of `write`" })),
    }),
  host_uri_cancel: () =>
    Type.Object({
      type: Type.Literal("host_uri_cancel"),
      id: Type.String(),
      targetId: Type.String({ description: "id of the request; an answer is no longer needed" }),
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
  approval_request: () =>
    Type.Object({
      type: Type.Literal("approval_request"),
      id: Type.String(),
      request: ref("PermissionRequest"),
      reason: Type.String({ description: "why the question is asked" }),
      suggestedRules: Type.Array(ref("PermissionRule"), {
        description:
          "rules that would make the question unnecessary next time: for this project first (`project`), then for everywhere, the narrowest first in each; none for an escalated command and for programs that run what they read",
      }),
      expiresAt: Type.Integer({ description: "milliseconds since the epoch" }),
      default: Type.Literal("deny"),
    }),
  approval_cancel: () =>
    Type.Object({
      type: Type.Literal("approval_cancel"),
      id: Type.String(),
      targetId: Type.String({ description: "id of the question; an answer is no longer needed" }),
      reason: Type.Optional(Type.String({ description: "`answered`: another host of the session was first" })),
    }),
  mcp_auth_request: () =>
    Type.Object({
      type: Type.Literal("mcp_auth_request"),
      id: Type.String(),
      server: Type.String({ description: "its name" }),
      url: Type.String({ description: "where a person logs in, in a browser" }),
      expiresAt: Type.Integer({ description: "milliseconds since the epoch" }),
      default: Type.Literal("no login"),
    }),
  mcp_auth_cancel: () =>
    Type.Object({
      type: Type.Literal("mcp_auth_cancel"),
      id: Type.String(),
      targetId: Type.String({ description: "id of the request; an answer is no longer needed" }),
      reason: Type.Optional(
        Type.String({ description: "`answered`: the browser was redirected back, or another host was first" }),
      ),
    }),
  trust_resolved: () =>
    Type.Object({
      type: Type.Literal("trust_resolved"),
      id: Type.String(),
      trusted: Type.Boolean(),
      by: oneOf(["host", "timeout", "abort", "disconnect"]),
    }),
};

type QuestionFrames = { [T in keyof typeof questionFrames]: Static<ReturnType<(typeof questionFrames)[T]>> };
export type HostToolFrame = QuestionFrames["host_tool_call"] | QuestionFrames["host_tool_cancel"];
export type HostUriFrame = QuestionFrames["host_uri_request"] | QuestionFrames["host_uri_cancel"];
export type HostFsFrame = QuestionFrames["host_fs_request"];
export type HostTerminalFrame = QuestionFrames["host_terminal_request"];
export type UiRequestFrame = QuestionFrames["extension_ui_request"];
export type TrustFrame = QuestionFrames["trust_request"] | QuestionFrames["trust_resolved"];
export type ApprovalFrame = QuestionFrames["approval_request"] | QuestionFrames["approval_cancel"];
export type TrustItem = Static<ReturnType<typeof trustItem>>;
export type McpAuthFrame = QuestionFrames["mcp_auth_request"] | QuestionFrames["mcp_auth_cancel"];
/** Any question frame. */
export type QuestionFrame = QuestionFrames[keyof QuestionFrames];
