import { errorText } from "@pintle/ai";
import type { FrameId } from "@pintle/wire";
import type { Host } from "../host.ts";
import { CommandError } from "./command-error.ts";

// Responses are built without their beginning (the route and the host's id): the remainder is the same for every host.

export function successTail(command: string, data?: unknown): string {
  return JSON.stringify({ type: "response", command, success: true, data }).slice(1);
}

export function failureTail(command: string, error: unknown): string {
  const code = error instanceof CommandError ? { code: error.code } : {};
  return JSON.stringify({ type: "response", command, success: false, error: errorText(error), ...code }).slice(1);
}

export interface Asked {
  host: Host;
  id: FrameId | undefined;
  /** The JSON text of an id that is neither a string nor a number, used instead of `id`. */
  idText?: string | undefined;
  sessionId?: string | undefined;
}

export function respond({ host, id, idText, sessionId }: Asked, tail: string): void {
  const route = sessionId === undefined ? "" : `"sessionId":${JSON.stringify(sessionId)},`;
  const label = id === undefined ? "" : `"id":${JSON.stringify(id)},`;
  const end = idText === undefined ? tail : `${tail.slice(0, -1)},"requestId":${JSON.stringify(idText)}}`;
  host.send({ json: `{${route}${label}${end}`, ...(sessionId !== undefined && { sessionId }) });
}

/** Answers a line that is not a known command. */
export function respondUnknown(host: Host, fields: { command: string; error: string; requestId?: FrameId }): void {
  const { command, error, requestId } = fields;
  host.send({ json: JSON.stringify({ type: "response", command, success: false, error, requestId }) });
}
