import { Type } from "@pintle/ai/type";
import type { Static, TProperties } from "typebox";
import { trace } from "../fields.ts";
import { ref } from "../named-types.ts";
import { APPROVAL_DECISIONS, oneOf } from "../words.ts";
import { uiRequests } from "./ui-requests.ts";

// What the server asks its host. Startup needs the names, so each schema is built on first use.

const timeout = () => Type.Optional(Type.Integer({ description: "ms; informative, the server enforces the deadline" }));

function hostRequest<T extends string, M extends string, P extends TProperties>(type: T, method: M, fields: P) {
  return Type.Object({ type: Type.Literal(type), id: Type.String(), method: Type.Literal(method), ...fields });
}

const absolute = () => Type.String({ description: "absolute, links followed" });

const trustItem = () =>
  Type.Object({
    kind: oneOf(["extension", "custom_tool", "hook", "agent", "mcp_server", "command", "setting"]),
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
      subagent: Type.Optional(ref("SubagentOrigin")),
      redelivered: Type.Optional(
        Type.Literal(true, { description: "from a gateway: the call was sent before, to a connection that was lost" }),
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
      subagent: Type.Optional(ref("SubagentOrigin")),
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

const answer = <T extends string, P extends TProperties>(type: T, fields: P) =>
  Type.Object({ type: Type.Literal(type), id: Type.String(), ...fields });
const toolContent = () => ({
  content: Type.Array(Type.Unknown(), { description: "text and image blocks" }),
  details: Type.Optional(Type.Unknown()),
  isWarning: Type.Optional(Type.Boolean()),
});
const toolResult = () =>
  Type.Object({
    ...toolContent(),
    terminate: Type.Optional(
      Type.Boolean({ description: "if every result of a batch has it, the run ends without another model call" }),
    ),
  });

/**
 * Frames from the host to the server; none of them gets a response. They are read leniently; this is what a host should
 * send.
 */
export const answerFrames = {
  extension_ui_response: () =>
    Type.Union([
      answer("extension_ui_response", { value: Type.String() }),
      answer("extension_ui_response", { confirmed: Type.Boolean() }),
      answer("extension_ui_response", { cancelled: Type.Literal(true), timedOut: Type.Optional(Type.Boolean()) }),
    ]),
  host_tool_update: () => answer("host_tool_update", { partialResult: Type.Object(toolContent()) }),
  host_tool_result: () => answer("host_tool_result", { result: toolResult(), isError: Type.Optional(Type.Boolean()) }),
  host_fs_result: () =>
    answer("host_fs_result", {
      content: Type.Optional(
        Type.String({ description: "of `read`: the editor's content, including unsaved changes" }),
      ),
      notOpen: Type.Optional(
        Type.Literal(true, { description: "the host does not have this file: it is read or written on the disk" }),
      ),
      error: Type.Optional(Type.String({ description: "why it failed, for the model" })),
    }),
  host_uri_result: () =>
    answer("host_uri_result", {
      content: Type.Optional(Type.String({ description: "of `read`" })),
      contentType: Type.Optional(Type.String()),
      isError: Type.Optional(Type.Boolean()),
      error: Type.Optional(Type.String({ description: "why it failed, for the model" })),
      notes: Type.Optional(Type.Array(Type.String())),
      immutable: Type.Optional(Type.Boolean()),
    }),
  host_terminal_result: () =>
    answer("host_terminal_result", {
      output: Type.Optional(Type.String()),
      exitCode: Type.Optional(Type.Integer({ description: "absent if it was ended by a signal or a time limit" })),
      error: Type.Optional(Type.String({ description: "why the command could not be run, for the model" })),
    }),
  approval_response: () =>
    answer("approval_response", {
      decision: oneOf(APPROVAL_DECISIONS),
      rules: Type.Optional(
        Type.Array(ref("PermissionRule"), {
          description: "the suggested rules to keep, for the session or always",
        }),
      ),
      note: Type.Optional(Type.String({ description: "for the model, with a denial" })),
    }),
  mcp_auth_response: () =>
    Type.Union([
      answer("mcp_auth_response", {
        redirectUrl: Type.String({ description: "the full URL to which the browser was redirected" }),
      }),
      answer("mcp_auth_response", { cancelled: Type.Literal(true) }),
    ]),
  trust_response: () => answer("trust_response", { trusted: Type.Boolean(), remember: Type.Optional(Type.Boolean()) }),
};

type QuestionFrames = { [T in keyof typeof questionFrames]: Static<ReturnType<(typeof questionFrames)[T]>> };
export type HostToolFrame = QuestionFrames["host_tool_call"] | QuestionFrames["host_tool_cancel"];
export type UiRequestFrame = QuestionFrames["extension_ui_request"];
export type TrustFrame = QuestionFrames["trust_request"] | QuestionFrames["trust_resolved"];
export type TrustItem = Static<ReturnType<typeof trustItem>>;
/** Any question frame. */
export type QuestionFrame = QuestionFrames[keyof QuestionFrames];
