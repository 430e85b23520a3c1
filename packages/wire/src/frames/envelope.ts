import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";
import { SessionCursorSchema } from "../data/session-cursor.ts";
import { sessionId } from "../fields.ts";

// What a frame of a session has besides its own fields on a gateway's connection. The type is that of the frame.

export const SessionFrameSchema = Type.Object(
  {
    type: Type.String({ description: "of a frame of the session" }),
    sessionId: sessionId(),
    seq: Type.Optional(
      Type.Integer({
        description: "of events and questions: one more each time, per session and epoch, before any filter",
      }),
    ),
    cursor: Type.Optional(SessionCursorSchema),
    merged: Type.Optional(
      Type.Integer({
        description: "how many frames this one stands for, because the host did not read; `seq` is that of the last",
      }),
    ),
  },
  { description: "Any frame that a session writes, with what the gateway adds to it." },
);
/** What the gateway adds to a frame of a session. */
export type SessionEnvelope = Omit<Static<typeof SessionFrameSchema>, "type">;

export const SessionHostFrameSchema = Type.Object(
  {
    type: Type.String({ description: "of a command, or of an answer to a question" }),
    sessionId: sessionId(),
    commandKey: Type.Optional(
      Type.String({
        description: "of a command: a repeat with the same key within the epoch gets the first one's response",
      }),
    ),
  },
  { description: "Any frame for a session, with what routes it there." },
);
