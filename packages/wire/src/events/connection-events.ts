import { event } from "@pintle/agent/schemas";
import { Type } from "@pintle/ai/type";
import { FrameIdSchema, frameId } from "../data/frame-id.ts";
import { runResultFields } from "../data/run-result.ts";
import { oneOf } from "../words.ts";

// Events that the connection emits about the commands of its host.

export const connectionEventSchemas = {
  prompt_result: event(
    "prompt_result",
    "The end of an accepted prompt, exactly once: after the `agent_settled` of the run that it started or joined, or as soon as it is clear that there is no run, because it was handled without the model or was queued for a run that was cancelled before it began. A late failure ends a prompt by itself and is not followed by this event.",
    {
      id: Type.Optional(FrameIdSchema),
      commandKey: Type.Optional(Type.String({ description: "from a gateway: the key that the prompt was sent with" })),
      agentInvoked: Type.Boolean({ description: "false: there was no run, and no `agent_end` follows" }),
      status: oneOf(["completed", "aborted", "error"]),
      error: Type.Optional(
        Type.Object(
          {
            message: Type.String(),
            retryable: Type.Boolean({ description: "whether the same prompt may succeed later" }),
            provider: Type.Optional(Type.String()),
            model: Type.Optional(Type.String()),
          },
          { description: "if `status` is `error`, or pintle itself aborted the run: at a limit, or after denials" },
        ),
      ),
      ...runResultFields(),
      awaitingAsyncWork: Type.Optional(
        Type.Literal(true, {
          description: "a background job of the session is pending: its result starts another run",
        }),
      ),
      sessionSettled: Type.Literal(true, { description: "nothing is left to do for the prompt" }),
    },
  ),
  session_settled: event(
    "session_settled",
    "Nothing is left to do for any prompt so far, and no background job is pending. Follows `agent_settled` and `prompt_result`, or the end of the last job, unless another prompt arrived meanwhile. Not in the `pi` dialect.",
    {},
  ),
  bash_execution_update: event(
    "bash_execution_update",
    "New output of a host's `bash` command. Sent if `set_event_filter` names it; in the `pi` dialect always. Small amounts are collected for up to 100 ms, and a host that does not read slows the command down.",
    {
      commandId: Type.Optional(frameId("the `id` of the command")),
      id: Type.Optional(frameId("the same in the `pi` dialect")),
      delta: Type.String({
        description:
          "plain text, at most 8192 characters. A carriage return (not in the `pi` dialect) means that the last line is overwritten, as by a progress bar",
      }),
    },
  ),
  rpc_chunk: event(
    "rpc_chunk",
    "A part of a line that is longer than `maxFrameBytes`, after version 2 was negotiated in the `omp` dialect. The parts are in order, with no other line between them.",
    {
      chunkId: Type.String({ description: "identifies the line that the part belongs to" }),
      index: Type.Integer(),
      count: Type.Integer({ description: "how many parts the line has" }),
      byteLength: Type.Integer({ description: "the size of the whole line, in UTF-8" }),
      data: Type.String({ description: "base64" }),
    },
  ),
};
