import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { createTestServer } from "./behaviour.ts";

export interface HttpTestServer extends AsyncDisposable {
  url: string;
  /** Headers of all requests so far. */
  requests: Headers[];
  /** The sessions of clients that did not end them. */
  sessionCount(): number;
  /** If set, answers in place of the server. */
  answer: ((request: Request) => Response | undefined) | undefined;
  /** The same, for asynchronous answers. */
  answerLater: ((request: Request) => Promise<Response | undefined>) | undefined;
  /** Forgets all sessions, like a restarted server. */
  forget(): void;
}

/** Starts a server with streamable HTTP on loopback. */
export async function startHttpServer(options: { isJson?: boolean; port?: number } = {}): Promise<HttpTestServer> {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const requests: Headers[] = [];
  const listener = Bun.serve({
    port: options.port ?? 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      requests.push(request.headers);
      const scripted = server.answer?.(request) ?? (await server.answerLater?.(request));
      if (scripted) return scripted;
      const id = request.headers.get("mcp-session-id");
      if (id !== null)
        return sessions.get(id)?.handleRequest(request) ?? new Response("no such session", { status: 404 });
      const transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: () => crypto.randomUUID(),
        enableJsonResponse: options.isJson ?? false,
        onsessionclosed: (session) => void sessions.delete(session),
        onsessioninitialized: (session) => void sessions.set(session, transport),
      });
      await createTestServer().connect(transport);
      return transport.handleRequest(request);
    },
  });
  const server: HttpTestServer = {
    url: `http://127.0.0.1:${listener.port}/mcp`,
    requests,
    sessionCount: () => sessions.size,
    answer: undefined,
    answerLater: undefined,
    forget: () => sessions.clear(),
    [Symbol.asyncDispose]: () => listener.stop(true),
  };
  return server;
}
