import type { GatewayParams, GatewayResult } from "@pintle/wire/gateway";
import type { Server } from "./server.ts";

type Page = GatewayResult<"list_sessions">;
type Row = Page["sessions"][number];

const DEFAULT_LIMIT = 50;

/** Stored sessions inside the roots, with what is known of those that are open; those that are not stored yet come first. */
export async function listSessions(server: Server, query: GatewayParams<"list_sessions">): Promise<Page> {
  const { library, roots } = server.parts;
  const { status, limit = DEFAULT_LIMIT, cursor: first } = query;
  const sessions: Row[] = first === undefined ? unstored(server, query) : [];
  for (let cursor = first; ; ) {
    const page = await library.list({ ...query, limit, ...(cursor !== undefined && { cursor }) });
    for (const row of page.sessions) {
      const seen = { ...row, ...asOpenHere(server, row.sessionId) };
      if (roots.has(row.cwd) && (status === undefined || seen.status === status)) sessions.push(seen);
    }
    cursor = page.nextCursor;
    // A page may be longer than asked for by what is not stored; never so long that a row would be lost.
    if (cursor === undefined || sessions.length >= limit) {
      return { sessions, ...(cursor !== undefined && { nextCursor: cursor }) };
    }
  }
}

function asOpenHere({ parts: { table } }: Server, sessionId: string): Partial<Row> {
  const open = table.get(sessionId);
  return open ? { status: open.live.status, ...(open.file !== undefined && { sessionFile: open.file }) } : {};
}

/** Open, and nothing of it is stored: the listing of files cannot know it. */
function unstored({ parts: { table } }: Server, { cwd, query, status }: GatewayParams<"list_sessions">): Row[] {
  if (query !== undefined) return [];
  return table.all().flatMap(({ live, plan, file, openedAt }) => {
    const isListed = live.isStored && !plan.isEphemeral;
    if (isListed || (cwd !== undefined && cwd !== plan.cwd) || (status !== undefined && status !== live.status))
      return [];
    const times = { createdAt: openedAt, updatedAt: openedAt };
    const path = file === undefined || plan.isEphemeral ? {} : { sessionFile: file };
    return [{ sessionId: live.id, ...path, cwd: plan.cwd, ...times, messageCount: 0, status: live.status }];
  });
}
