import type { SessionEventOf } from "@pintle/wire";
import type { PermissionRequest } from "./request.ts";

export type DecidedBy = SessionEventOf<"approval_resolved">["by"];

const WHO: Readonly<Record<DecidedBy, string>> = {
  host: "The user denied it",
  rule: "It is not allowed",
  timeout: "No answer came in time, which counts as a denial",
  abort: "The question was withdrawn",
  disconnect: "The connection to the user was lost, which counts as a denial",
  nobody: "It needs approval, and no user can be asked",
};

/** Returns the text that the model receives instead of a result. */
export function denialText(request: PermissionRequest, by: DecidedBy, reason: string, note?: string): string {
  const why = by === "host" ? (note ? `: ${note}` : "") : ` (${reason})`;
  return `Permission denied: ${request.title} was not run. ${WHO[by]}${why}. Do not try the same by other means; continue without it, or say what you need.`;
}
