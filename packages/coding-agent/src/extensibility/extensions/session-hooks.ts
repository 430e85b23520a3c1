// It names nothing of this folder and lives with the session, which calls it.
export type * from "../../session/session-hooks.ts";
