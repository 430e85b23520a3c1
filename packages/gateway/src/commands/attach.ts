import { CommandError } from "../frames/command-error.ts";
import { successTail } from "../frames/responses.ts";
import type { AttachOptions } from "../sessions/attached-hosts.ts";
import type { LiveSession } from "../sessions/live-session.ts";
import { isSuccess } from "../sessions/sent-commands.ts";
import type { OpenSession } from "../sessions/session-table.ts";
import { dataIn } from "../sessions/snapshot.ts";
import type { Call } from "./host-connection.ts";

/** Attaches the connection to a session, and answers with the cursor before its first frame. */
export function attach(call: Call, session: LiveSession, options: AttachOptions): void {
  enter(call, session);
  const { connection, answer, frame } = call;
  session.attachments.attach(
    connection.host,
    { ...connection.defaults, ...options },
    {
      attached: (cursor, resync) => answer(successTail(frame.type, { cursor, resync })),
      failed: (tail) => {
        connection.sessions.delete(session.id);
        answer(asAnswerTo(frame.type, tail));
      },
    },
  );
}

/**
 * Attaches the connection to a session that the command has opened or found open; the response includes its state. The host
 * receives a new session from its first frame, which includes the events of its start, unless it already knows the session.
 */
export function attachOpened(
  call: Call,
  open: OpenSession,
  options: Pick<AttachOptions, "lastEntries"> & { isNew: boolean; since: AttachOptions["since"]; more?: object },
): void {
  const { live, file } = open;
  const { isNew, since, lastEntries, more } = options;
  const { connection, answer, frame } = call;
  if (connection.isClosed) return;
  enter(call, live);
  const from = since ?? (isNew ? live.beginning : undefined);
  live.commands.request({ type: "get_state" }, (tail) => {
    if (!isSuccess(tail)) {
      if (!live.hosts.has(connection.host.id)) connection.sessions.delete(live.id);
      return answer(asAnswerTo(frame.type, tail));
    }
    if (connection.isClosed) return;
    connection.sessions.set(live.id, live); // a detach that arrived meanwhile meant the earlier attachment
    const state = dataIn(tail);
    live.attachments.attach(
      connection.host,
      { ...connection.defaults, since: from, lastEntries },
      {
        attached: (cursor, resync) =>
          answer(
            successTail(frame.type, {
              ...more,
              sessionId: live.id,
              ...(file !== undefined && { sessionFile: file }),
              state,
              cursor,
              resync,
            }),
          ),
        failed: (failure) => {
          connection.sessions.delete(live.id);
          answer(asAnswerTo(frame.type, failure));
        },
      },
    );
  });
}

/**
 * Reserves a place for the session that `open` opens, so that no engine is started for a session that is then refused.
 */
export async function inRoom(call: Call, sessionId: string | undefined, open: () => Promise<void>): Promise<void> {
  const { connection } = call;
  if (sessionId === undefined || !connection.sessions.has(sessionId)) checkRoom(call, connection.opening);
  connection.opening += 1;
  try {
    await open();
  } finally {
    connection.opening -= 1;
  }
}

function enter(call: Call, session: LiveSession): void {
  const { sessions } = call.connection;
  if (!sessions.has(session.id)) checkRoom(call, 0);
  sessions.set(session.id, session);
}

function checkRoom({ connection, server }: Call, opening: number): void {
  const { maxSessionsPerConnection } = server.parts.limits;
  if (connection.size + opening >= maxSessionsPerConnection) {
    throw new CommandError("busy", `A connection has at most ${maxSessionsPerConnection} sessions`);
  }
}

/** Converts the worker's response to a request of the gateway into the response to the host's command. */
export function asAnswerTo(command: string, tail: string): string {
  const response = JSON.parse(`{${tail}`) as object;
  return JSON.stringify({ ...response, command }).slice(1);
}
