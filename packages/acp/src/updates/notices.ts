import type { NoticeSeverity } from "@agentclientprotocol/sdk";
import { isRecord } from "@pintle/ai";
import type { Frame } from "../gateway-link.ts";

export interface Notice {
  severity: NoticeSeverity;
  title: string;
  description?: string;
  /** True if a client that shows no notices must show it in the conversation. */
  mustBeSeen?: true;
}

/** ACP has no stop reason for these: the user gets a message, and the turn ends normally. */
export const ENDED_BY: Readonly<Record<string, string | undefined>> = {
  denied: "The run was ended because permissions were denied",
  budget: "The run was ended because a budget is used up",
};

const SEVERITIES: ReadonlySet<unknown> = new Set(["info", "warning", "error"]);
const severityOf = (level: unknown): NoticeSeverity => (SEVERITIES.has(level) ? (level as NoticeSeverity) : "info");

/** Events that the user should know about, one row each. A row returns undefined if there is nothing to report. */
export const NOTICES: Readonly<Record<string, (frame: Frame) => Notice | undefined>> = {
  notice: ({ level, message }) => ({ severity: severityOf(level), title: String(message) }),
  agent_end: ({ endedBy }) => {
    const title = ENDED_BY[String(endedBy)];
    return title === undefined ? undefined : { severity: "warning", title, mustBeSeen: true };
  },
  auto_retry_start: ({ attempt, maxAttempts, delayMs, errorMessage }) => ({
    severity: "warning",
    title: `The model call failed; attempt ${Number(attempt)} of ${Number(maxAttempts)} in ${Math.ceil(Number(delayMs) / 1000)} s`,
    description: String(errorMessage),
  }),
  retry_fallback_applied: ({ from, to }) => ({
    severity: "warning",
    title: `${String(to)} answers in place of ${String(from)}`,
  }),
  budget_warning: ({ limit, used, max }) => ({
    severity: "warning",
    title: `Four fifths of the budget are used: ${String(limit)} ${Number(used)} of ${Number(max)}`,
  }),
  extension_error: ({ extensionPath, error }) => ({
    severity: "warning",
    title: `An extension failed: ${String(extensionPath)}`,
    description: String(error),
  }),
  mcp_status: ({ server }) =>
    isRecord(server) && server.status === "failed"
      ? {
          severity: "warning",
          title: `The MCP server ${String(server.name)} cannot be reached`,
          description: String(server.error ?? ""),
        }
      : undefined,
  worker_exited: () => ({
    severity: "error",
    title: "The engine of this session has ended; the next prompt starts it again",
  }),
  session_failed: ({ message }) => ({ severity: "error", title: String(message) }),
};

/** A `notify` from an extension. */
export function notification({ message, notifyType }: Frame): Notice {
  return { severity: severityOf(notifyType), title: String(message), mustBeSeen: true };
}
