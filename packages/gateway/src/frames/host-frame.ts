import { errorText, isRecord, isTooDeep, TOO_DEEP_TEXT } from "@pintle/ai";
import type { FrameId } from "@pintle/wire";

/** A line of a host: where it goes, how its answer is labelled, and its own fields unchecked. */
export interface HostFrame {
  type: string;
  id: FrameId | undefined;
  sessionId: string | undefined;
  commandKey: string | undefined;
  /** As it came. */
  line: string;
  /** Without what is the gateway's: the route and the key. */
  fields: Record<string, unknown> & { type: string };
}

/** The line is no frame. */
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
  return { type, id, sessionId, commandKey, line, fields: { ...rest, type } };
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new BadFrame(errorText(error));
  }
}

const isFrameId = (id: unknown): id is FrameId => typeof id === "string" || Number.isFinite(id);
