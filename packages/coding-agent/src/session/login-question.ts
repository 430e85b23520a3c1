import type { AskLogin } from "../mcp/login/login-request.ts";
import type { AskHost } from "./host-question.ts";

/** Asks the host to send a person to the login of an MCP server. */
export function createAskLogin(ask: AskHost): AskLogin {
  return async ({ server, url, signal }) => {
    const end = await ask("mcp_auth", {
      fields: ({ expiresAt }) => ({ server, url, expiresAt, default: "no login" }),
      about: { title: server },
      signals: [signal],
    });
    if (end.by === "nobody") return undefined;
    const redirectUrl = end.by === "host" ? end.answer.redirectUrl : undefined;
    return typeof redirectUrl === "string" ? redirectUrl : null;
  };
}
