import { errorText, isRecord, isTooDeep, TOO_DEEP_TEXT } from "@pintle/ai";
import type { FrameId } from "@pintle/wire";

/** A parsed line of a host: its route, the id for its response, and its own fields, which are not yet validated. */
export interface HostFrame {
  type: string;
  id: FrameId | undefined;
  /** The JSON text of an id that is neither a string nor a number; used in the response. */
  idText: string | undefined;
  sessionId: string | undefined;
  commandKey: string | undefined;
  /** The line as the host sent it. */
  line: string;
  /** The fields except the route and the key, which only the gateway uses. */
  fields: Record<string, unknown> & { type: string };
}

/** Commands to a session that open another one and leave the first unchanged. */
export const OPENS_ANOTHER: ReadonlySet<string> = new Set(["new_session", "switch_session", "branch", "fork", "clone"]);

/** Thrown for a line that is not a frame. */
export class BadFrame extends Error {
  readonly requestId: FrameId | undefined;

  constructor(reason: string, requestId?: FrameId) {
    super(reason);
    this.requestId = requestId;
  }
}

export function parseHostFrame(line: string): HostFrame {
  const parsed = parseJson(line);
  if (!isRecord(parsed)) throw new BadFrame("expected a JSON object");
  const { sessionId, commandKey, ...rest } = parsed;
  const { type } = rest;
  const id = isFrameId(rest.id) ? rest.id : undefined;
  if (typeof type !== "string") throw new BadFrame('missing "type"', id);
  if (sessionId !== undefined && typeof sessionId !== "string") throw new BadFrame("sessionId must be a string", id);
  if (commandKey !== undefined && typeof commandKey !== "string") throw new BadFrame("commandKey must be a string", id);
  if (isTooDeep(parsed)) throw new BadFrame(`the frame is ${TOO_DEEP_TEXT}`, id);
  const hasOtherId = id === undefined && rest.id !== undefined && rest.id !== null;
  const idText = hasOtherId ? JSON.stringify(rest.id) : undefined;
  return { type, id, idText, sessionId, commandKey, line, fields: { ...rest, type } };
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new BadFrame(errorText(error));
  }
}

const isFrameId = (id: unknown): id is FrameId => typeof id === "string" || Number.isFinite(id);
