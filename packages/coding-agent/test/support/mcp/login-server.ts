import { createHash } from "node:crypto";
import { type HttpTestServer, startHttpServer } from "./http-server.ts";

export interface LoginServer extends AsyncDisposable {
  http: HttpTestServer;
  /** The requests to each endpoint of the authorization server, in order. */
  asked: { path: string; fields: Record<string, string> }[];
  /** Valid access tokens. */
  valid: Set<string>;
  /** The token endpoint's answer in place of a token. */
  tokenAnswer?: () => Response;
}

/** An MCP server that requires a login, and its authorization server, at one address. */
export async function startLoginServer(): Promise<LoginServer> {
  const http = await startHttpServer();
  const origin = new URL(http.url).origin;
  const asked: LoginServer["asked"] = [];
  const valid = new Set<string>();
  const challenges = new Map<string, string>();
  let count = 0;
  const issue = () => {
    count += 1;
    valid.add(`access-token-${count}`);
    return { access_token: `access-token-${count}`, refresh_token: `refresh-token-${count}`, token_type: "Bearer" };
  };

  const places: Record<string, (fields: Record<string, string>) => Response> = {
    "/.well-known/oauth-protected-resource/mcp": () =>
      Response.json({ resource: http.url, authorization_servers: [origin] }),
    "/.well-known/oauth-authorization-server": () =>
      Response.json({
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["none"],
      }),
    "/register": (fields) => Response.json({ ...fields, client_id: "client-1" }, { status: 201 }),
    "/authorize": ({ redirect_uri, state, code_challenge }) => {
      challenges.set("code-1", code_challenge ?? "");
      const back = new URL(redirect_uri ?? "");
      back.searchParams.set("code", "code-1");
      back.searchParams.set("state", state ?? "");
      return Response.redirect(back.href, 302);
    },
    "/token": ({ grant_type, code, code_verifier, refresh_token }) => {
      const digest = createHash("sha256")
        .update(code_verifier ?? "")
        .digest("base64url");
      const isCode = grant_type === "authorization_code" && challenges.get(code ?? "") === digest;
      const isRefresh = grant_type === "refresh_token" && refresh_token === `refresh-token-${count}`;
      return isCode || isRefresh ? Response.json(issue()) : Response.json({ error: "invalid_grant" }, { status: 400 });
    },
  };
  http.answerLater = async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    const place = places[pathname];
    if (place) {
      const text = await request.text();
      const isJson = request.headers.get("content-type")?.startsWith("application/json") ?? false;
      const fields = isJson ? JSON.parse(text) : Object.fromEntries([...searchParams, ...new URLSearchParams(text)]);
      asked.push({ path: pathname, fields });
      return pathname === "/token" && server.tokenAnswer ? server.tokenAnswer() : place(fields);
    }
    if (pathname !== "/mcp") return new Response("not found", { status: 404 });
    const token = request.headers.get("authorization")?.replace("Bearer ", "");
    if (token !== undefined && valid.has(token)) return undefined;
    return new Response("who are you", { status: 401, headers: { "www-authenticate": "Bearer" } });
  };
  const server: LoginServer = { http, asked, valid, [Symbol.asyncDispose]: () => http[Symbol.asyncDispose]() };
  return server;
}
