import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";
import { oneOf } from "../words.ts";

/** Where the last run ended before its work was done. `continue_run` resumes from there. */
export const InterruptionSchema = Type.Object({
  cause: oneOf(["aborted", "error", "length", "lost"], {
    description: "lost: the process ended during the run; length: the answer hit the output limit",
  }),
  prompt: Type.Optional(Type.String({ description: "the user's request, at most 200 characters" })),
  promptEntryId: Type.Optional(Type.String()),
  uncertain: Type.Array(Type.Object({ toolCallId: Type.String(), toolName: Type.String() }), {
    description: "calls without a result, or stopped while they ran: their effects are unknown",
  }),
});
export type Interruption = Static<typeof InterruptionSchema>;
