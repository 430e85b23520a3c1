import { Type } from "@pintle/ai/type";
import type { TProperties } from "typebox";
import { ref } from "../named-types.ts";
import { APPROVAL_DECISIONS, oneOf } from "../words.ts";

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
