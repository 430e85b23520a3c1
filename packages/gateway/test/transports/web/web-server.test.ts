import { describe, expect, test } from "bun:test";
import { LISTEN, startServer, TOKEN } from "../../support/running-server.ts";
import { LIMITS } from "../../support/server-state.ts";
import { WebHost } from "../../support/web-host.ts";

const bearer = { authorization: `Bearer ${TOKEN}` };

async function ask(url: string, headers: Record<string, string> = {}, init: RequestInit = {}) {
  const response = await fetch(url, { ...init, headers });
  return { status: response.status, text: (await response.text()).trim() };
}

describe("a host on a WebSocket", () => {
  test("receives server_ready first, and its messages are read", async () => {
    await using server = await startServer({ listen: LISTEN });
    const host = new WebHost(`${server.url}/ws`, { headers: bearer });
    await host.opened;
    host.send("hello");
    await host.next(({ type }) => type === "echo");
    expect(host.frames).toEqual([{ type: "server_ready" }, { type: "echo", line: "hello" }]);
    host.close();
    await host.closed;
  });

  test("may show the token as a sub-protocol; the server selects the other one", async () => {
    await using server = await startServer({ listen: LISTEN });
    const host = new WebHost(`${server.url}/ws`, { protocols: ["pintle", `pintle.token.${TOKEN}`] });
    await host.opened;
    expect(host.protocol).toBe("pintle");
    const upgrade = { ...bearer, connection: "upgrade", upgrade: "websocket" };
    const alone = await ask(`${server.url}/ws`, { ...upgrade, "sec-websocket-protocol": `pintle.token.${TOKEN}` });
    expect(alone).toEqual({ status: 400, text: 'offer the sub-protocol "pintle"' });
  });

  test("is refused without the token, and after some failures made to wait; the right token is always accepted", async () => {
    await using server = await startServer({ listen: LISTEN });
    expect(await ask(`${server.url}/ws`)).toEqual({ status: 401, text: "a token is required" });
    expect(await ask(`${server.url}/ws`, { authorization: `Bearer ${TOKEN}x` })).toEqual({
      status: 401,
      text: "the token is wrong",
    });
    const referer = { referer: `${server.url}/?token=${TOKEN}#token=${TOKEN}` };
    expect((await ask(`${server.url}/metrics`, referer)).status).toBe(401);
    const paused = await fetch(`${server.url}/ws`, { headers: { authorization: `Bearer ${TOKEN}x` } });
    expect({ status: paused.status, wait: paused.headers.get("retry-after") }).toEqual({ status: 429, wait: "60" });
    expect((await ask(`${server.url}/metrics`, bearer)).status).toBe(200);
    expect((await ask(`${server.url}/healthz`)).status).toBe(200);
  });

  test("cannot show the token in the address, and a try is no failure", async () => {
    await using server = await startServer({ listen: LISTEN });
    for (const query of [`token=${TOKEN}`, `x=${TOKEN}`, "access_token=guess", "token=1", "token=2"]) {
      const { status, text } = await ask(`${server.url}/ws?${query}`, bearer);
      expect(status).toBe(400);
      expect(text).toContain("do not put the token into the address");
      expect(text).not.toContain(TOKEN);
    }
    expect((await ask(`${server.url}/metrics`, bearer)).status).toBe(200);
  });

  test("of another origin or by another name is refused before its token is looked at", async () => {
    await using server = await startServer({ listen: LISTEN });
    const foreign: Record<string, string>[] = [
      { origin: "http://evil.example" },
      { origin: "null" },
      { host: "evil.example" },
    ];
    for (const headers of foreign) {
      for (const path of ["/ws", "/metrics", "/"]) {
        expect((await ask(server.url + path, { ...bearer, ...headers })).status).toBe(403);
      }
    }
    expect((await ask(`${server.url}/metrics`, { ...bearer, origin: server.url })).status).toBe(200);
  });

  test("that sends a frame too long is disconnected, and the others stay", async () => {
    await using server = await startServer({ listen: LISTEN });
    const [long, other] = [1, 2].map(() => new WebHost(`${server.url}/ws`, { headers: bearer })) as [WebHost, WebHost];
    await Promise.all([long.opened, other.opened]);
    long.send("x".repeat(LIMITS.maxFrameBytes + 1));
    await long.closed;
    other.send("x".repeat(LIMITS.maxFrameBytes));
    await other.next(({ type }) => type === "echo");
    expect(server.gateway.received).toEqual(["x".repeat(LIMITS.maxFrameBytes)]);
  });

  test("that sends bytes instead of text receives an error", async () => {
    await using server = await startServer({ listen: LISTEN });
    const host = new WebHost(`${server.url}/ws`, { headers: bearer });
    await host.opened;
    host.send(new Uint8Array([1, 2, 3]));
    expect(await host.next(({ type }) => type === "response")).toMatchObject({
      success: false,
      code: "invalid_request",
      error: "frames must be text messages",
    });
  });

  test("finds no place when there are too many", async () => {
    await using server = await startServer({ listen: LISTEN, limits: { ...LIMITS, maxConnections: 1 } });
    const first = new WebHost(`${server.url}/ws`, { headers: bearer });
    await first.opened;
    const upgrade = { ...bearer, connection: "upgrade", upgrade: "websocket" };
    expect(await ask(`${server.url}/ws`, upgrade)).toEqual({ status: 503, text: "too many connections" });
    first.close();
    await first.closed;
    for (let isIn = false; !isIn; ) {
      const host = new WebHost(`${server.url}/ws`, { headers: bearer });
      isIn = await host.opened.then(() => true).catch(() => false); // the server detects the end a moment later
    }
  });
});

describe("plain HTTP", () => {
  test("health needs no token and no known Host, and reports that the server is shutting down", async () => {
    await using server = await startServer({ listen: LISTEN });
    const evil = { host: "evil.example", origin: "http://evil.example" };
    expect(await ask(`${server.url}/healthz`, evil)).toEqual({ status: 200, text: "ok" });
    server.gateway.isDraining = true;
    expect(await ask(`${server.url}/healthz`, evil)).toEqual({ status: 503, text: "draining" });
  });

  test("metrics are OpenMetrics, for bearers of the token", async () => {
    await using server = await startServer({ listen: LISTEN });
    expect((await ask(`${server.url}/metrics`)).status).toBe(401);
    const response = await fetch(`${server.url}/metrics`, { headers: bearer });
    expect(response.headers.get("content-type")).toBe("application/openmetrics-text; version=1.0.0; charset=utf-8");
    expect(await response.text()).toContain("pintle_auth_failures_total 1\n");
  });

  test("the page of a session is for bearers of the token, and cannot act as the server", async () => {
    await using server = await startServer({ listen: LISTEN });
    expect((await ask(`${server.url}/export/known`)).status).toBe(401);
    const response = await fetch(`${server.url}/export/known`, { headers: bearer });
    expect(response.headers.get("content-security-policy")).toBe("sandbox allow-scripts");
    expect(await response.text()).toBe("<p>page");
    for (const id of ["unknown", "", "%ff", "known/x", "..%2fknown"])
      expect((await ask(`${server.url}/export/${id}`, bearer)).status).toBe(404);
  });

  test("everything else is not there, and nothing but GET is served", async () => {
    await using server = await startServer({ listen: LISTEN });
    for (const path of ["/nothing", "/ws/../nothing", "/__proto__", "/constructor", "/metrics2"])
      expect((await ask(server.url + path, bearer)).status).toBe(404);
    expect((await ask(`${server.url}/metrics`, bearer, { method: "POST" })).status).toBe(405);
    expect((await ask(`${server.url}/ws`, bearer)).status).toBe(426);
    expect((await ask(server.url)).status).toBe(200);
  });
});

describe("the output at start", () => {
  test("an address to open, with the token in its fragment if it was made here", async () => {
    await using server = await startServer({ listen: { ...LISTEN, token: undefined } });
    const [, token] = /^http:\/\/127\.0\.0\.1:\d+\/#token=([\w-]{43})$/.exec(server.reported[0] ?? "") ?? [];
    expect(server.reported).toHaveLength(1);
    expect((await ask(`${server.url}/metrics`, { authorization: `Bearer ${token}` })).status).toBe(200);
  });

  test("no token that the user has given", async () => {
    await using server = await startServer({ listen: LISTEN });
    expect(server.reported).toEqual([`${server.url}/`]);
  });

  test("an address that others can reach needs a token file", async () => {
    for (const address of ["0.0.0.0:0", "[::]:0"])
      expect(await startServer({ listen: { ...LISTEN, address } }).catch(String)).toContain("needs --token-file");
  });
});

test("a server that shuts down lets runs finish, and notifies its hosts", async () => {
  await using server = await startServer({ listen: LISTEN });
  const run = Promise.withResolvers<void>();
  server.gateway.running = run.promise;
  const host = new WebHost(`${server.url}/ws`, { headers: bearer });
  await host.opened;
  const stopped = server.server.stop();
  expect(await ask(`${server.url}/healthz`)).toEqual({ status: 503, text: "draining" });
  host.send("still heard");
  await host.next(({ line }) => line === "still heard");
  run.resolve();
  expect(await host.closed).toEqual({ code: 1001, reason: "ending" });
  await stopped;
  expect(await ask(`${server.url}/healthz`).catch(() => "gone")).toBe("gone");
});
