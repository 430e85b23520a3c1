import { isRecord } from "@pintle/ai";
import type { Frame } from "../../frames/update-frames.ts";
import type { Rewrite } from "./dialect.ts";

// Rewrites that several dialects share.

export const notSent: Rewrite = () => undefined;

export const onlyIfNamed: Rewrite = (frame: Frame, { isNamed }) => (isNamed(frame.type) ? frame : undefined);

export const onlyForDecidingHost: Rewrite = (frame, { isPreviewByHost }) => (isPreviewByHost() ? frame : undefined);

export type Data = Record<string, unknown>;

export type AnswerFrame = Frame & {
  id?: unknown;
  command: string;
  success: boolean;
  data?: unknown;
  requestId?: unknown;
};

type DataRows = Readonly<Record<string, (data: Data) => Data>>;

/** Rewrites the data of responses, by command. */
export function withData(rows: DataRows): Rewrite {
  return (frame: AnswerFrame) => rewriteData(withId(frame), rows);
}

export function rewriteData(frame: AnswerFrame, rows: DataRows): AnswerFrame {
  const { command, success, data } = frame;
  if (!success || data === null || !Object.hasOwn(rows, command)) return frame;
  return { ...frame, data: rows[command]!(isRecord(data) ? data : {}) };
}

/**
 * Adds the id to responses that lack it in the default dialect, because clients of pi and oh-my-pi match responses only by
 * id.
 */
function withId(frame: AnswerFrame): AnswerFrame {
  return frame.requestId === undefined ? frame : { id: frame.requestId, ...frame };
}

/** Reports queued messages only by their text. */
export function withoutQueueIds({
  steeringIds: _steering,
  followUpIds: _followUp,
  ...frame
}: Frame & { steeringIds?: unknown; followUpIds?: unknown }): Frame {
  return frame as Frame;
}
