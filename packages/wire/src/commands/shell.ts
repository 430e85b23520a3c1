import { Type } from "@pintle/ai/type";
import { ref } from "../named-types.ts";
import { noParams, noResult, row } from "./row.ts";

/** The user's own shell commands. */
export const shellCommands = {
  bash: row({
    summary: "Runs a user's command in the session's directory; its output becomes part of the conversation.",
    params: () =>
      Type.Object({
        command: Type.String(),
        excludeFromContext: Type.Optional(
          Type.Boolean({ description: "stored in the history, but never shown to the model" }),
        ),
      }),
    result: () => ref("BashResult"),
    lane: "detached",
    check: ({ command }) => (command.trim() === "" ? { field: "command", mustBe: "a non-empty string" } : undefined),
  }),
  abort_bash: row({
    summary: "Stops the running command and those that wait.",
    params: noParams,
    result: noResult,
    lane: "control",
  }),
};
