import type { AgentMessage } from "@pintle/agent";
import { SessionError } from "@pintle/storage";
import type { Params, Result } from "@pintle/wire";
import type { AgentSession } from "../../../session/agent-session.ts";
import { MAX_PAGE_BYTES } from "./page-size.ts";

const DEFAULT_LIMIT = 100;

interface Cursor {
  /** Where the next page begins. */
  at: number;
  /** The history to which it belongs: session and leaf. */
  history: string;
}

/** Returns one page of the history. A cursor is valid only for the history that it was created for. */
export function messagesPage(
  session: AgentSession,
  { cursor, limit = DEFAULT_LIMIT }: Params<"get_messages_page">,
): Result<"get_messages_page"> {
  if (session.isStreaming || session.compaction.isCompacting) {
    throw new SessionError("session_busy", "The history is changing; ask again when the session is idle");
  }
  const history = `${session.sessionId} ${session.manager.leafId}`;
  const start = cursor === undefined ? { at: 0, history } : readCursor(cursor);
  if (start.history !== history)
    throw new SessionError("stale_cursor", "The history has changed; start again without a cursor");
  const { messages: all } = session;
  const messages = takePage(all, start.at, limit);
  const at = start.at + messages.length;
  return {
    messages,
    ...(at < all.length && { nextCursor: Buffer.from(JSON.stringify({ at, history })).toString("base64url") }),
    totalMessages: all.length,
  };
}

/** Takes at least one message, however large it is. */
function takePage(all: readonly AgentMessage[], from: number, limit: number): AgentMessage[] {
  const page: AgentMessage[] = [];
  let bytes = 0;
  for (const message of all.slice(from, from + limit)) {
    bytes += Buffer.byteLength(JSON.stringify(message)) + 1;
    if (page.length > 0 && bytes > MAX_PAGE_BYTES) break;
    page.push(message);
  }
  return page;
}

function readCursor(text: string): Cursor {
  try {
    const { at, history }: Record<string, unknown> = JSON.parse(Buffer.from(text, "base64url").toString());
    if (typeof at === "number" && Number.isInteger(at) && at >= 0 && typeof history === "string")
      return { at, history };
  } catch {
    // not a cursor of pintle
  }
  throw new SessionError("invalid_request", "Invalid get_messages_page: cursor must come from an earlier page");
}
