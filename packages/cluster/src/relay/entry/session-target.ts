import type { HostFrame } from "@pintle/gateway/cluster";

/** Commands that lead to a session which the connection may not receive yet. */
export const LOOKED_FOR: ReadonlySet<string> = new Set([
  "open_session",
  "attach_session",
  "close_session",
  "delete_session",
  "rename_session",
]);

/** Returns the session that a command leads to. A copy is a new session, and a path belongs to this machine. */
export function targetOf({ type, sessionId, fields }: HostFrame): string | undefined {
  if (type !== "open_session") return sessionId;
  const { session, fork } = fields;
  const isId = typeof session === "string" && !/[/\\]|\.jsonl$/.test(session);
  return isId && fork !== true ? session : undefined;
}
