import type { McpAuthFrame } from "@pintle/wire";
import type { LoginRequest } from "../../../mcp/login/login-request.ts";
import type { HostCapabilities } from "./host-capabilities.ts";
import type { PendingCalls } from "./pending-calls.ts";

export interface LoginQuestionParts {
  pending: PendingCalls;
  send(frame: McpAuthFrame): void;
  capabilities: HostCapabilities;
  timeoutMs(): number;
  now(): number;
}

/**
 * Returns the URL to which the browser was redirected; null if no one logs in; undefined if this host shows no logins.
 */
export async function askForLogin(
  { pending, send, capabilities, timeoutMs, now }: LoginQuestionParts,
  { server, url, signal }: LoginRequest,
): Promise<string | null | undefined> {
  if (!capabilities.current.mcpAuth) return undefined;
  const deadlineMs = timeoutMs();
  const wait = pending.open({
    kind: "mcp_auth",
    deadlineMs,
    default: "no login",
    about: { title: server },
    signals: [signal],
  });
  const { id } = wait;
  const expiresAt = now() + deadlineMs;
  if (wait.isAsked) send({ type: "mcp_auth_request", id, server, url, expiresAt, default: "no login" });
  const end = await wait.ended;
  if (end.by === "host") {
    const { redirectUrl } = end.answer;
    return typeof redirectUrl === "string" ? redirectUrl : null;
  }
  if (wait.isAsked && end.by !== "disconnect") {
    const reason = end.by === "abort" ? "answered" : end.by;
    send({ type: "mcp_auth_cancel", id: pending.nextId("login_cancel"), targetId: id, reason });
  }
  return null;
}
