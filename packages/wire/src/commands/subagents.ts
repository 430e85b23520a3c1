import { Type } from "@pintle/ai/type";
import { inputImage } from "../fields.ts";
import { ref } from "../named-types.ts";
import { oneOf, SUBAGENT_LEVELS } from "../words.ts";
import { checkMessage } from "./prompting.ts";
import { noParams, noResult, row } from "./row.ts";

const subagentId = () => Type.String({ pattern: ".", description: "the `id` of a subagent" });
const level = () => oneOf(SUBAGENT_LEVELS);

/** Subagents: what they do, and how a host takes part. */
export const subagentCommands = {
  get_subagents: row({
    summary: "Lists the subagents that wait or run; with `all`, also the newest 256 that have ended.",
    params: () => Type.Object({ all: Type.Optional(Type.Boolean()) }),
    result: () => Type.Object({ subagents: Type.Array(ref("SubagentSnapshot")) }),
    lane: "read",
  }),
  set_subagent_subscription: row({
    summary:
      "Chooses what this connection receives of subagents: nothing, `subagent_lifecycle` and `subagent_progress`, or also their events. The level is `off` until a host changes it.",
    params: () => Type.Object({ level: level() }),
    result: () => Type.Object({ level: level() }),
    lane: "ordered",
  }),
  get_subagent_messages: row({
    summary:
      "Returns what the session of a subagent has stored, in whole lines, from a byte on. Continue with `nextByte`.",
    params: () =>
      Type.Object({
        subagentId: Type.Optional(Type.String()),
        sessionFile: Type.Optional(Type.String()),
        fromByte: Type.Optional(Type.Integer({ description: "default 0" })),
      }),
    result: () =>
      Type.Object({
        sessionFile: Type.String(),
        fromByte: Type.Integer({ description: "where the entries begin" }),
        nextByte: Type.Integer({ description: "where to continue" }),
        reset: Type.Boolean({ description: "`fromByte` was beyond the end, so the entries begin at the start" }),
        entries: Type.Array(Type.Unsafe<object>(Type.Object({})), {
          description: "the lines of the file, the header included",
        }),
        messages: Type.Array(ref("AgentMessage"), { description: "the messages among them" }),
      }),
    lane: "read",
    check: ({ fromByte = 0 }) => (fromByte < 0 ? { field: "fromByte", mustBe: "0 or more" } : undefined),
  }),
  get_agents: row({
    summary: "Lists the kinds of subagents, those that the model is not offered included.",
    params: noParams,
    result: () => Type.Object({ agents: Type.Array(ref("AgentInfo")) }),
    lane: "read",
  }),
  abort_subagent: row({
    summary:
      "Ends a subagent, and responds once it has ended. Its parent receives its results so far. Has no effect on a subagent that has ended.",
    params: () => Type.Object({ subagentId: subagentId() }),
    result: () => Type.Object({ status: oneOf(["completed", "failed", "aborted"]) }),
    lane: "control",
  }),
  prompt_subagent: row({
    summary: "Sends a message to a running subagent, by default before its next model call.",
    params: () =>
      Type.Object({
        subagentId: subagentId(),
        message: Type.String(),
        images: Type.Optional(Type.Array(inputImage())),
        streamingBehavior: Type.Optional(oneOf(["steer", "followUp"])),
      }),
    result: noResult,
    lane: "control",
    check: checkMessage,
  }),
};
