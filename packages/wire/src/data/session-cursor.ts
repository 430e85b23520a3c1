import type { Static } from "typebox";
import { sessionCursor } from "../fields.ts";

export const SessionCursorSchema = sessionCursor();
/** A host's position in the frames of a session. */
export type SessionCursor = Static<typeof SessionCursorSchema>;
