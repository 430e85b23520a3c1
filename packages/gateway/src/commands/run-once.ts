import { isRecord } from "@pintle/ai";
import { HeldElsewhere, NoRoom, toCommandError } from "../frames/command-error.ts";
import type { HostFrame } from "../frames/host-frame.ts";
import { failureTail } from "../frames/responses.ts";
import { isSuccess } from "../sessions/sent-commands.ts";
import { dataIn } from "../sessions/snapshot.ts";
import { attachOpened } from "./attach.ts";
import type { Call } from "./host-connection.ts";
import { openSession } from "./open-session.ts";

/**
 * Commands of the gateway that must not be executed twice. The others are settings, which each new connection sends
 * again.
 */
const ONCE: ReadonlySet<string> = new Set([
  "open_session",
  "new_session",
  "switch_session",
  "branch",
  "fork",
  "clone",
  "close_session",
  "delete_session",
  "restore_session",
  "rename_session",
]);

export function isKeyed({ type, commandKey }: HostFrame): boolean {
  return commandKey !== undefined && ONCE.has(type);
}

/**
 * Answers a repeated command with the stored response. If it opened a session, the connection is attached to that
 * session.
 */
export async function runOnce(call: Call, handle: (call: Call) => void | Promise<void>): Promise<void> {
  const { frame, server, answer } = call;
  const key = `${frame.sessionId ?? ""} ${frame.commandKey}`;
  const repeat = (tail: string) => {
    const opened = isSuccess(tail) ? dataIn(tail) : undefined;
    if (!isRecord(opened) || typeof opened.sessionId !== "string") return answer(tail);
    reopen(call, opened.sessionId, opened).catch((error: unknown) =>
      answer(failureTail(frame.type, toCommandError(error) ?? error)),
    );
  };
  if (!server.keys.claim(key, repeat)) return;
  const keepAnswer = (tail: string) => {
    server.keys.answered(key, tail);
    answer(tail);
  };
  try {
    await handle({ ...call, answer: keepAnswer });
  } catch (error) {
    if (error instanceof HeldElsewhere || error instanceof NoRoom) {
      server.keys.release(key, failureTail(frame.type, error));
      throw error; // the node that executes it remembers the key
    }
    keepAnswer(failureTail(frame.type, toCommandError(error) ?? error));
  }
}

async function reopen(call: Call, sessionId: string, more: object): Promise<void> {
  const { open, isNew } = await openSession(call.server, { session: sessionId });
  attachOpened(call, open, { isNew, since: open.live.beginning, more });
}
