import { describe, expect, test } from "bun:test";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import { textOf } from "../../../../agent/test/support/tools.ts";
import { createTestServer } from "../../support/mcp/behaviour.ts";
import { startHttpServer } from "../../support/mcp/http-server.ts";
import { mcpFile, serversOf, variable } from "../../support/mcp/servers-of.ts";
import { projectFolder } from "../../support/trust/project-folder.ts";

const SECRET = "s3cret-token-value";

async function connectTo(definition: object) {
  const folder = projectFolder();
  folder.write("~/mcp.json", mcpFile({ web: definition }));
  const started = await serversOf(folder, { env: { TOKEN: SECRET } });
  await started.servers.connected(30_000);
  return {
    started,
    async [Symbol.asyncDispose]() {
      await started[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

const withToken = (url: string) => ({
  url,
  headers: { authorization: `Bearer ${variable("TOKEN")}`, "x-key": SECRET },
});
const failure = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "it did not fail",
    (error: Error) => error.message,
  );

describe("streamable HTTP", () => {
  test.each([false, true])("calls tools (responses as plain JSON: %p)", async (isJson) => {
    await using http = await startHttpServer({ isJson });
    await using place = await connectTo(withToken(http.url));
    const { started } = place;
    expect(textOf(await started.call("mcp__web__echo", { text: "hi" }))).toBe("echo: hi");
    expect(started.warnings).toEqual([]);
    expect(new Set(http.requests.map((headers) => headers.get("authorization")))).toEqual(
      new Set([`Bearer ${SECRET}`]),
    );
  });

  test("ends the session on close, even if the server no longer responds", async () => {
    await using http = await startHttpServer();
    await using place = await connectTo({ url: http.url });
    await using other = await connectTo({ url: http.url });
    expect(http.sessionCount()).toBe(2);
    await place.started.servers.close();
    expect(http.sessionCount()).toBe(1);
    http.answer = () => new Response(new ReadableStream({}));
    await other.started.servers.close();
    expect(http.sessionCount()).toBe(1);
  });

  test("an abort ends the call immediately", async () => {
    await using http = await startHttpServer();
    await using place = await connectTo({ url: http.url });
    const abort = new AbortController();
    const updated = Promise.withResolvers<unknown>();
    const options = { signal: abort.signal, update: updated.resolve };
    const call = failure(place.started.call("mcp__web__wait", {}, options));
    await updated.promise;
    abort.abort(new Error("enough"));
    expect(await call).toBe("enough");
  });

  test("repeats the call in a new session when a restarted server has lost the old one", async () => {
    await using http = await startHttpServer();
    await using place = await connectTo({ url: http.url });
    http.forget();
    expect(textOf(await place.started.call("mcp__web__echo", { text: "hi" }))).toBe("echo: hi");
    expect(http.sessionCount()).toBe(1);
    http.answer = () => new Response("<html>gone</html>", { status: 404 });
    expect(await failure(place.started.call("mcp__web__echo", { text: "hi" }))).toContain("could not be started again");
  });

  test("reports a truncated response as an error instead of waiting", async () => {
    await using http = await startHttpServer();
    await using place = await connectTo({ url: http.url });
    http.answer = (request) =>
      request.method === "POST"
        ? new Response(": nothing follows\n\n", { headers: { "content-type": "text/event-stream" } })
        : undefined;
    expect(await failure(place.started.call("mcp__web__echo", { text: "hi" }))).toContain(
      "the connection ended before the answer",
    );
  });

  test("cuts off an endless response", async () => {
    await using http = await startHttpServer();
    await using place = await connectTo({ url: http.url });
    http.answer = (request) => (request.method === "POST" ? endless() : undefined);
    expect(await failure(place.started.call("mcp__web__echo", { text: "hi" }))).toContain("more than 32 MiB");
  });

  test("reports a server that has gone away, then the failed attempt to reconnect", async () => {
    const http = await startHttpServer();
    await using place = await connectTo(withToken(http.url));
    await http[Symbol.asyncDispose]();
    const errors = [
      await failure(place.started.call("mcp__web__echo", { text: "hi" })),
      await failure(place.started.call("mcp__web__echo", { text: "hi" })),
    ];
    expect(errors[1]).toContain('MCP server "web" has ended and could not be started again');
    for (const error of errors) expect(error).not.toContain(SECRET);
  });
});

describe("secrets in headers", () => {
  test.each<[string, (request: Request) => Response, RegExp]>([
    ["a login", () => new Response("who are you", { status: 401 }), /requires a login \(HTTP 401\).*headers/],
    ["rights", () => new Response("no", { status: 403 }), /denied the request \(HTTP 403\)/],
    ["an echo", (request) => new Response([...request.headers].join(), { status: 500 }), /HTTP 500/],
    ["no MCP", () => new Response("<html>hello</html>", { headers: { "content-type": "text/html" } }), /content type/],
  ])("are omitted from the warning when the server responds with %s", async (_, answer, expected) => {
    await using http = await startHttpServer();
    http.answer = answer;
    await using place = await connectTo(withToken(`${http.url}?key=${SECRET}`));
    expect(place.started.warnings).toEqual([expect.stringMatching(expected)]);
    expect(place.started.warnings[0]).not.toContain(SECRET);
  });

  test("are not sent to another server", async () => {
    await using other = await startHttpServer();
    await using http = await startHttpServer();
    http.answer = () => new Response(null, { status: 307, headers: { location: `${other.url}?key=${SECRET}` } });
    await using place = await connectTo(withToken(http.url));
    expect(other.requests).toHaveLength(0);
    expect(place.started.warnings).toEqual([expect.stringContaining("edirect")]);
    expect(place.started.warnings[0]).not.toContain(SECRET);
  });

  test("are sent to another address of the same server", async () => {
    await using http = await startHttpServer();
    const isOld = (request: Request) => request.url.endsWith("/mcp/");
    http.answer = (request) =>
      isOld(request) ? new Response(null, { status: 307, headers: { location: "/mcp" } }) : undefined;
    await using place = await connectTo(withToken(`${http.url}/`));
    expect(textOf(await place.started.call("mcp__web__echo", { text: "hi" }))).toBe("echo: hi");
  });
});

describe("the older SSE transport", () => {
  test("calls tools, and reopens the stream on the next call after it ends", async () => {
    await using sse = await startSseServer();
    await using place = await connectTo({ type: "sse", url: sse.url, headers: { "x-key": SECRET } });
    expect(textOf(await place.started.call("mcp__web__echo", { text: "hi" }))).toBe("echo: hi");
    expect(sse.keys()).toEqual(new Set([SECRET]));
    const waiting = failure(place.started.call("mcp__web__wait"));
    await sse.called();
    sse.drop();
    expect(await waiting).toStartWith('MCP server "web" ended during the call');
    expect(textOf(await place.started.call("mcp__web__echo", { text: "again" }))).toBe("echo: again");
  });

  test("is detected when no type is configured, and remembered", async () => {
    await using sse = await startSseServer();
    await using place = await connectTo({ url: sse.url });
    expect(textOf(await place.started.call("mcp__web__echo", { text: "hi" }))).toBe("echo: hi");
    expect(await place.started.servers.status()).toMatchObject([
      { name: "web", transport: "sse", status: "connected" },
    ]);
    expect(place.started.warnings).toEqual([]);
    sse.drop();
    await place.started.until(() => place.started.statuses.at(-1) === "web ended");
    expect(textOf(await place.started.call("mcp__web__echo", { text: "again" }))).toBe("echo: again");
  });

  test("reports a page that is not an MCP server, even if it keeps a stream open", async () => {
    using page = Bun.serve({
      port: 0,
      idleTimeout: 0,
      fetch: ({ method }) =>
        method === "GET" ? new Response(new ReadableStream({})) : new Response("<html>no</html>", { status: 405 }),
    });
    await using place = await connectTo({ url: `http://127.0.0.1:${page.port}/`, timeout: 2_000 });
    expect(place.started.warnings).toEqual([expect.stringContaining("cannot be used: HTTP 405: an HTML page")]);
  });

  test("gives up on a silent server after its timeout", async () => {
    using silent = Bun.serve({
      port: 0,
      idleTimeout: 0,
      fetch: () => new Response(new ReadableStream({}), { headers: { "content-type": "text/event-stream" } }),
    });
    await using place = await connectTo({ type: "sse", url: `http://127.0.0.1:${silent.port}/`, timeout: 1_000 });
    expect(place.started.warnings).toEqual(['MCP server "web" cannot be used: it did not answer within 1 s']);
  });
});

function endless(): Response {
  const megabyte = new Uint8Array(1024 * 1024).fill(0x20);
  const body = new ReadableStream({ pull: (controller) => controller.enqueue(megabyte) });
  return new Response(body, { headers: { "content-type": "application/json" } });
}

async function startSseServer() {
  const keys = new Set<unknown>();
  const open: SSEServerTransport[] = [];
  let waiting = () => {};
  const listener = createServer(async (request, response) => {
    keys.add(request.headers["x-key"]);
    if (request.method === "GET") {
      const transport = new SSEServerTransport("/messages", response);
      open.push(transport);
      await createTestServer().connect(transport);
      return;
    }
    const id = new URL(request.url ?? "", "http://x").searchParams.get("sessionId");
    const transport = open.find(({ sessionId }) => sessionId === id);
    if (!transport) {
      response.writeHead(405).end("<!doctype html><title>Cannot POST</title>");
      return;
    }
    await transport.handlePostMessage(request, response);
    waiting();
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}/sse`,
    keys: () => keys,
    /** Resolves with the next request. */
    called: () =>
      new Promise<void>((resolve) => {
        waiting = resolve;
      }),
    drop: () => listener.closeAllConnections(),
    async [Symbol.asyncDispose]() {
      listener.closeAllConnections();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}
