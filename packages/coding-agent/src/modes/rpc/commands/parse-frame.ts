import { cutText, errorText, isRecord, isTooDeep, TOO_DEEP_TEXT } from "@pintle/ai";
import type { FrameId } from "@pintle/wire";

/** A parsed line of the host: its type, the id for the response, and all its fields, unchecked. */
export interface HostFrame {
  type: string;
  id: FrameId | undefined;
  /** The JSON of an `id` that is not a string. The response contains it as `requestId`. */
  requestId?: string;
  fields: Record<string, unknown>;
}

const MAX_ID_CHARS = 1000;

/** The line is not a frame. */
export class BadFrame extends Error {
  readonly id: FrameId | undefined;
  /** What could be read nevertheless, because an answer that something waits for must not be lost. */
  readonly head: HostFrame | undefined;

  constructor(reason: string, id?: FrameId, head?: HostFrame) {
    super(reason);
    this.id = id;
    this.head = head;
  }
}

export function parseFrame(line: string): HostFrame {
  const fields = parseJson(line);
  if (!isRecord(fields)) {
    throw new BadFrame("expected a JSON object");
  }
  const { type, id } = fields;
  const frameId = isFrameId(id) ? id : undefined;
  if (isTooDeep(fields)) {
    if (typeof type !== "string") throw new BadFrame('missing "type"', frameId);
    throw new BadFrame(`the frame is ${TOO_DEEP_TEXT}`, frameId, { type, id: frameId, fields: { type, id: frameId } });
  }
  const requestId = isSet(id) && frameId === undefined ? cutText(JSON.stringify(id), MAX_ID_CHARS) : undefined;
  if (typeof type !== "string") throw new BadFrame('missing "type"', frameId ?? requestId);
  return { type, id: frameId, ...(requestId !== undefined && { requestId }), fields };
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    // The parser's message would quote the text.
    throw new BadFrame(line.includes("api_key") ? "the line is not JSON" : errorText(error));
  }
}

const isFrameId = (id: unknown): id is FrameId => typeof id === "string" || Number.isFinite(id);

/** Drops nulls, which some clients send for fields that are not set. */
const isSet = (value: unknown) => value !== undefined && value !== null;
