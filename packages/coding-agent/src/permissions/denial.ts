import type { SessionEventOf } from "@pintle/wire";
import type { PermissionRequest } from "./request.ts";

export type DecidedBy = SessionEventOf<"approval_resolved">["by"];

const WHO: Readonly<Record<DecidedBy, string>> = {
  host: "The user denied it",
  rule: "It is not allowed",
  timeout: "Nobody answered the question in time, which counts as a denial",
  abort: "The question was withdrawn",
  disconnect: "The connection to the user is gone, which counts as a denial",
  nobody: "It needs a permission, and there is nobody here who could give it",
};

/** What the model reads instead of a result. */
export function denialText(request: PermissionRequest, by: DecidedBy, reason: string, note?: string): string {
  const why = by === "host" ? (note ? `: ${note}` : "") : ` (${reason})`;
  return `Permission denied: ${request.title} was not run. ${WHO[by]}${why}. Do not try to reach the same by other means; go on without it, or say what you would need.`;
}
