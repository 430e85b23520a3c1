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

/** Answers whose data some clients read differently, by command. */
export function withData(rows: Readonly<Record<string, (data: Data) => Data>>): Rewrite {
  return (frame: AnswerFrame) => {
    const { command, success, data = {} } = frame;
    const labelled = withId(frame);
    if (!success || !Object.hasOwn(rows, command)) return labelled;
    return { ...labelled, data: rows[command]!(data as Data) } as Frame;
  };
}

/** Some responses must not have the id; clients of both newer programs find theirs by it alone. */
function withId(frame: AnswerFrame): Frame {
  return frame.requestId === undefined ? frame : ({ id: frame.requestId, ...frame } as Frame);
}

/** Messages that wait are told by their texts alone. */
export function withoutQueueIds({
  steeringIds: _steering,
  followUpIds: _followUp,
  ...frame
}: Frame & { steeringIds?: unknown; followUpIds?: unknown }): Frame {
  return frame as Frame;
}
