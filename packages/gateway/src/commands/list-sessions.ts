import type { GatewayParams, GatewayResult } from "@pintle/wire/gateway";
import { gitBranch } from "../store/git-branch.ts";
import type { Server } from "./server.ts";

type Page = GatewayResult<"list_sessions">;
type Row = Page["sessions"][number];

const DEFAULT_LIMIT = 50;

/** Lists the stored sessions inside the roots, with the state of open ones. Sessions that are not stored yet come first. */
export async function listSessions(server: Server, query: GatewayParams<"list_sessions">): Promise<Page> {
  const { store, roots } = server.parts;
  const { status, limit = DEFAULT_LIMIT, cursor: first } = query;
  const sessions: Row[] = first === undefined ? unstored(server, query) : [];
  for (let cursor = first; ; ) {
    const page = await store.list({ ...query, limit, ...(cursor !== undefined && { cursor }) });
    for (const row of page.sessions) {
      const seen = { ...row, ...asOpenHere(server, row.sessionId) };
      if (roots.has(row.cwd) && (status === undefined || seen.status === status)) sessions.push(seen);
    }
    cursor = page.nextCursor;
    // Sessions that are not stored come in addition to the requested page, so that no stored session is skipped.
    if (cursor === undefined || sessions.length >= limit) {
      return { sessions, ...(cursor !== undefined && { nextCursor: cursor }) };
    }
  }
}

function asOpenHere({ parts: { table } }: Server, sessionId: string): Partial<Row> {
  const open = table.get(sessionId);
  if (!open) return {};
  return {
    status: open.live.status,
    ...(open.file !== undefined && { sessionFile: open.file }),
    ...branchOf(open.plan.cwd),
  };
}

function branchOf(cwd: string): Pick<Row, "gitBranch"> {
  const branch = gitBranch(cwd);
  return branch === undefined ? {} : { gitBranch: branch };
}

/** Returns the open sessions that the store does not list, because they have no message yet or are not stored. */
function unstored({ parts: { table } }: Server, { cwd, query, status }: GatewayParams<"list_sessions">): Row[] {
  if (query !== undefined) return [];
  return table.all().flatMap(({ live, plan, file, openedAt }) => {
    const { name, hasMessage } = live.listed;
    const isListed = hasMessage && !plan.isEphemeral;
    if (isListed || (cwd !== undefined && cwd !== plan.cwd) || (status !== undefined && status !== live.status))
      return [];
    const times = { createdAt: openedAt, updatedAt: openedAt };
    const path = file === undefined || plan.isEphemeral ? {} : { sessionFile: file };
    const named = name === undefined ? {} : { name };
    const { id: sessionId, status: now } = live;
    return [
      { sessionId, ...path, ...named, cwd: plan.cwd, ...times, messageCount: 0, status: now, ...branchOf(plan.cwd) },
    ];
  });
}
