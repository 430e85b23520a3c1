import { isRecord } from "@pintle/ai";
import type { Frame } from "../../frames/update-frames.ts";
import type { Rewrite } from "./dialect.ts";

// What several dialects do to a frame.

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

/** Answers whose data some clients read differently, by command. */
export function withData(rows: DataRows): Rewrite {
  return (frame: AnswerFrame) => rewriteData(withId(frame), rows);
}

export function rewriteData(frame: AnswerFrame, rows: DataRows): AnswerFrame {
  const { command, success, data } = frame;
  if (!success || data === null || !Object.hasOwn(rows, command)) return frame;
  return { ...frame, data: rows[command]!(isRecord(data) ? data : {}) };
}

/** Some responses must not have the id; clients of both newer programs find theirs by it alone. */
function withId(frame: AnswerFrame): AnswerFrame {
  return frame.requestId === undefined ? frame : { id: frame.requestId, ...frame };
}

/** Queued messages are reported by their text alone. */
export function withoutQueueIds({
  steeringIds: _steering,
  followUpIds: _followUp,
  ...frame
}: Frame & { steeringIds?: unknown; followUpIds?: unknown }): Frame {
  return frame as Frame;
}
