import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";
import { oneOf } from "../words.ts";

/** Where the last run ended before its work was done. `continue_run` goes on from there. */
export const InterruptionSchema = Type.Object({
  cause: oneOf(["aborted", "error", "length", "lost"], {
    description: "lost: the process ended in the middle; length: the answer hit the output limit",
  }),
  prompt: Type.Optional(Type.String({ description: "what the user had asked, at most 200 characters of it" })),
  promptEntryId: Type.Optional(Type.String()),
  uncertain: Type.Array(Type.Object({ toolCallId: Type.String(), toolName: Type.String() }), {
    description: "calls without a result, or stopped while they ran: what they did is not known",
  }),
});
export type Interruption = Static<typeof InterruptionSchema>;
