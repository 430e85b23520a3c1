import type { LoginRequest } from "../../../mcp/login/login-request.ts";
import type { AskHost } from "./ask-host.ts";
import type { HostCapabilities } from "./host-capabilities.ts";

export interface LoginQuestionParts {
  ask: AskHost;
  capabilities: HostCapabilities;
}

/**
 * Returns the URL to which the browser was redirected, null if the user did not log in, or undefined if this host shows no
 * logins.
 */
export async function askForLogin(
  { ask, capabilities }: LoginQuestionParts,
  { server, url, signal }: LoginRequest,
): Promise<string | null | undefined> {
  if (!capabilities.current.mcpAuth) return undefined;
  const end = await ask("mcp_auth", {
    fields: ({ expiresAt }) => ({ server, url, expiresAt, default: "no login" }),
    about: { title: server },
    signals: [signal],
  });
  if (end.by !== "host") return null;
  const { redirectUrl } = end.answer;
  return typeof redirectUrl === "string" ? redirectUrl : null;
}
