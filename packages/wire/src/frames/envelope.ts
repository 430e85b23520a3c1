import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";
import { SessionCursorSchema } from "../data/session-cursor.ts";
import { sessionId } from "../fields.ts";

// What a session's frame has in addition to its own fields on a gateway's connection. The type is that of the frame.

export const SessionFrameSchema = Type.Object(
  {
    type: Type.String({ description: "present in every frame of a session" }),
    sessionId: sessionId(),
    seq: Type.Optional(
      Type.Integer({
        description: "for events and questions: increases by one, per session and epoch, before any filter",
      }),
    ),
    cursor: Type.Optional(SessionCursorSchema),
    merged: Type.Optional(
      Type.Integer({
        description: "how many frames this one replaces, because the host did not read; `seq` is that of the last",
      }),
    ),
  },
  { description: "Any frame of a session, with the fields that the gateway adds." },
);
/** The fields that the gateway adds to a session's frame. */
export type SessionEnvelope = Omit<Static<typeof SessionFrameSchema>, "type">;

export const SessionHostFrameSchema = Type.Object(
  {
    type: Type.String({ description: "in a command, or in an answer to a question" }),
    sessionId: sessionId(),
    commandKey: Type.Optional(
      Type.String({
        description: "in a command: a repeat with the same key within the epoch gets the response to the first",
      }),
    ),
  },
  { description: "Any frame for a session, with its routing fields." },
);
