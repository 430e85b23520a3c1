import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { GatewayParams, GatewayResult } from "@pintle/wire/gateway";
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

const LONGEST_HEAD = 1_000;

/** Returns the checked-out branch of the repository that contains the directory, or undefined if there is none. */
export function gitBranch(directory: string): string | undefined {
  for (let place = resolve(directory); ; place = dirname(place)) {
    const head = readHead(join(place, ".git"));
    if (head !== undefined) return /^ref: refs\/heads\/(.+)$/.exec(head)?.[1];
    if (dirname(place) === place) return undefined;
  }
}

/** Reads HEAD. In a linked worktree, `.git` is a file that names the directory that contains it. */
function readHead(git: string): string | undefined {
  const head = readLine(join(git, "HEAD"));
  if (head !== undefined) return head;
  const linked = /^gitdir: (.+)$/.exec(readLine(git) ?? "")?.[1];
  return linked === undefined ? undefined : readLine(join(resolve(dirname(git), linked), "HEAD"));
}

function readLine(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").slice(0, LONGEST_HEAD).trim();
  } catch {
    return undefined;
  }
}
