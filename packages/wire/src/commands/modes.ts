import { Type } from "@pintle/ai/type";
import { interruptMode, queueMode } from "../fields.ts";
import { oneOf } from "../words.ts";
import { noResult, row } from "./row.ts";

/** How messages and updates are delivered. */
export const modeCommands = {
  set_steering_mode: row({
    summary: "How many steering messages are delivered at once.",
    params: () => Type.Object({ mode: queueMode() }),
    result: noResult,
    lane: "ordered",
  }),
  set_follow_up_mode: row({
    summary: "How many follow-ups are delivered at once.",
    params: () => Type.Object({ mode: queueMode() }),
    result: noResult,
    lane: "ordered",
  }),
  set_interrupt_mode: row({
    summary:
      "Whether steering skips tool calls that have not started or waits for the end of the turn; running calls finish.",
    params: () => Type.Object({ mode: interruptMode() }),
    result: noResult,
    lane: "ordered",
  }),
  set_update_mode: row({
    summary: "Whether a message_update repeats the message so far (full) or contains only what is new (delta).",
    params: () => Type.Object({ mode: oneOf(["full", "delta"]) }),
    result: noResult,
    lane: "ordered",
  }),
};
