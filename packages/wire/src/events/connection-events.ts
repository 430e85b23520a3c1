import { event } from "@pintle/agent/schemas";
import { Type } from "@pintle/ai/type";
import { FrameIdSchema, frameId } from "../data/frame-id.ts";
import { oneOf } from "../words.ts";

// What the connection tells by itself, about the commands of its host.

export const connectionEventSchemas = {
  prompt_result: event(
    "prompt_result",
    "The end of an accepted prompt, once: behind the `agent_settled` of the run that it started or joined, or when it is clear that it has none: handled without the model, or queued for one that was cancelled before it began. A late failure is an end of its own and has none.",
    {
      id: Type.Optional(FrameIdSchema),
      commandKey: Type.Optional(Type.String({ description: "of a gateway: the key that the prompt was sent with" })),
      agentInvoked: Type.Boolean({ description: "false: there was no run, and no `agent_end` will follow" }),
      status: oneOf(["completed", "aborted", "error"]),
      error: Type.Optional(
        Type.Object(
          {
            message: Type.String(),
            retryable: Type.Boolean({ description: "whether the same prompt may succeed later" }),
            provider: Type.Optional(Type.String()),
            model: Type.Optional(Type.String()),
          },
          { description: "when `status` is `error`, or `aborted` because the run exceeded a limit of the server" },
        ),
      ),
      sessionSettled: Type.Literal(true, { description: "nothing is left to do for the prompt" }),
    },
  ),
  session_settled: event(
    "session_settled",
    "Nothing is left to do for any prompt so far. Behind `agent_settled` and `prompt_result`, unless another prompt came meanwhile. Not in the `pi` dialect.",
    {},
  ),
  bash_execution_update: event(
    "bash_execution_update",
    "What a `bash` of the host has written since the last one. Sent when `set_event_filter` names it; in the `pi` dialect always. Little output is collected for up to 100 ms, and a host that does not read slows the command down.",
    {
      commandId: Type.Optional(frameId("the `id` of the command")),
      id: Type.Optional(frameId("the same in the `pi` dialect")),
      delta: Type.String({
        description:
          "plain text, at most 8192 characters. A carriage return (not in the `pi` dialect) means that the last line is written anew, as by a progress bar",
      }),
    },
  ),
};
