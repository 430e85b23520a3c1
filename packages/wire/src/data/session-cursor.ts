import type { Static } from "typebox";
import { sessionCursor } from "../fields.ts";

export const SessionCursorSchema = sessionCursor();
/** How far a host has seen a session. */
export type SessionCursor = Static<typeof SessionCursorSchema>;
