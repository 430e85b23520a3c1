import type { Params, Result } from "@pintle/wire";
import type { AgentSession } from "../../../session/agent-session.ts";

const DEFAULT_LIMIT = 50;
const MAX_FIRST_MESSAGE = 500;

/** Returns a page of the stored sessions. `waiting` is whether an answer from the host is pending. */
export async function listSessions(
  session: AgentSession,
  { status: wanted, limit = DEFAULT_LIMIT, ...query }: Params<"list_sessions">,
  isWaiting: boolean,
): Promise<Result<"list_sessions">> {
  const own = isWaiting ? "waiting" : session.isStreaming ? "running" : "idle";
  const { sessionId } = session;
  // The state of other processes is unknown, so their open sessions are reported as stored.
  const statusOf = (id: string) => (id === sessionId ? own : "stored");
  const { sessions, nextCursor } = await session.stored.page({
    ...query,
    limit,
    accept: ({ id }) => wanted === undefined || statusOf(id) === wanted,
  });
  return {
    sessions: sessions.map(({ id, path, name, cwd, createdAt, modifiedAt, messageCount, firstMessage, cost }) => ({
      sessionId: id,
      sessionFile: path,
      ...(name !== undefined && { name }),
      cwd,
      createdAt,
      updatedAt: new Date(modifiedAt).toISOString(),
      messageCount,
      ...(firstMessage !== undefined && { firstMessage: firstMessage.slice(0, MAX_FIRST_MESSAGE) }),
      ...(cost !== undefined && { cost }),
      status: statusOf(id),
    })),
    ...(nextCursor !== undefined && { nextCursor }),
  };
}
