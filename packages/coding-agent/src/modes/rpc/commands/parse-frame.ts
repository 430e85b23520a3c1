import { errorText, isRecord, isTooDeep, TOO_DEEP_TEXT } from "@pintle/ai";
import type { FrameId } from "@pintle/wire";

/** A line of the host: what it wants, how its answer is labelled, and all its fields unchecked. */
export interface HostFrame {
  type: string;
  id: FrameId | undefined;
  fields: Record<string, unknown>;
}

/** The line is no frame. */
export class BadFrame extends Error {
  readonly id: FrameId | undefined;
  /** What is known of it all the same: an answer that something waits for must not be lost with its content. */
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
  if (typeof type !== "string") throw new BadFrame('missing "type"', frameId);
  if (isTooDeep(fields)) {
    throw new BadFrame(`the frame is ${TOO_DEEP_TEXT}`, frameId, { type, id: frameId, fields: { type, id: frameId } });
  }
  return { type, id: frameId, fields };
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    // The parser quotes what it stumbled over.
    throw new BadFrame(line.includes("api_key") ? "the line is no JSON" : errorText(error));
  }
}

const isFrameId = (id: unknown): id is FrameId => typeof id === "string" || Number.isFinite(id);
