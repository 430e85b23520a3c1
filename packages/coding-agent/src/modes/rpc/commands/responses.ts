import { errorText } from "@pintle/ai";
import { SessionError } from "@pintle/storage";
import type { ErrorCode, FrameId, HostMistake, ResponseFrame } from "@pintle/wire";
import type { HostFrame } from "./parse-frame.ts";

type Asked = Pick<HostFrame, "type" | "id" | "requestId">;

export function successResponse({ type, id, requestId }: Asked, data: unknown): ResponseFrame {
  return {
    ...(id !== undefined && { id }),
    type: "response",
    command: type,
    success: true,
    ...asRequestId(requestId),
    ...(data !== undefined && { data: data as object | null }),
  };
}

/**
 * Returns the failing response with the command's name and id, for mistakes of the host, the state of the session or a bug.
 */
export function failureResponse({ type, id, requestId }: Asked, error: unknown, code = codeOf(error)): ResponseFrame {
  return {
    ...(id !== undefined && { id }),
    type: "response",
    command: type,
    success: false,
    error: errorText(error),
    ...(code !== undefined && { code }),
    ...asRequestId(requestId),
  };
}

function codeOf(error: unknown): ErrorCode | HostMistake["code"] | undefined {
  return error instanceof SessionError ? error.code : undefined;
}

/** The protocol forbids `id` here. `requestId` lets newer clients correlate the response nevertheless. */
export function unknownCommandResponse({ type, id, requestId }: Asked): ResponseFrame {
  const error = `Unknown command: ${type}`;
  return { type: "response", command: type, success: false, error, ...asRequestId(id ?? requestId) };
}

/** Returns the response to a line that is not a frame. */
export function parseResponse(error: unknown, id?: FrameId): ResponseFrame {
  return {
    type: "response",
    command: "parse",
    success: false,
    error: `Failed to parse command: ${errorText(error)}`,
    ...asRequestId(id),
  };
}

const asRequestId = (id: FrameId | undefined) => (id === undefined ? {} : { requestId: id });
