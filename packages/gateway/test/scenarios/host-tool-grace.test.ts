import { afterAll, beforeAll, expect, test } from "bun:test";
import { ServeProgram } from "../support/serve-program.ts";
import type { WebHost } from "../support/web-host.ts";

let served: ServeProgram;
beforeAll(() => {
  served = new ServeProgram({ args: ["--allow-origin", "https://app.example.com"] });
});
afterAll(async () => {
  served.child.kill("SIGKILL"); // runs that wait for a host would delay its shutdown
  await served[Symbol.asyncDispose]();
});

const tools = [{ name: "owner", description: "Names an owner.", parameters: { type: "object" } }];
const text = (value: string) => ({ content: [{ type: "text", text: value }] });
const isCall = ({ type }: { type?: unknown }) => type === "host_tool_call";
const isResult = ({ type }: { type?: unknown }) => type === "prompt_result";

async function open(host: WebHost, capabilities: object): Promise<string> {
  const { data } = await host.ask({ type: "open_session" });
  const { sessionId } = data as { sessionId: string };
  await host.ask({ type: "set_host_capabilities", sessionId, ...capabilities });
  await host.ask({ type: "set_host_tools", sessionId, tools });
  await host.ask({ type: "prompt", sessionId, message: "call owner" });
  return sessionId;
}

test("a call survives its connection and is answered by the next one that has the tool", async () => {
  const first = await served.connect();
  const sessionId = await open(first, { toolGrace: true });
  const call = await first.next(isCall);
  first.close();
  await first.closed;

  const second = await served.connect();
  await second.ask({ type: "attach_session", sessionId });
  expect(await second.ask({ type: "set_host_tools", sessionId, tools })).toMatchObject({ success: true });
  const again = await second.next(isCall);
  expect(again).toMatchObject({ id: call.id, toolName: "owner", redelivered: true, sessionId });
  second.send(JSON.stringify({ type: "host_tool_result", sessionId, id: again.id, result: text("core team") }));
  expect(await second.next(isResult)).toMatchObject({
    status: "completed",
    text: expect.stringContaining("core team"),
  });
});

test("a tool that is held is refused to others only while its connection lives", async () => {
  const first = await served.connect();
  const sessionId = await open(first, { toolGrace: true });
  await first.next(isCall);
  const second = await served.connect();
  await second.ask({ type: "attach_session", sessionId });
  const declare = () => second.ask({ type: "set_host_tools", sessionId, tools });
  expect(await declare()).toMatchObject({ success: false, code: "busy" });
  first.close();
  await first.closed;
  expect(await declare()).toMatchObject({ success: true });
});

test("without the capability, and after leaving the session, the call fails at once", async () => {
  for (const leave of ["close", "detach"] as const) {
    const first = await served.connect();
    const sessionId = await open(first, { toolGrace: leave === "detach" });
    await first.next(isCall);
    const second = await served.connect();
    await second.ask({ type: "attach_session", sessionId });
    if (leave === "close") first.close();
    else await first.ask({ type: "detach_session", sessionId });
    const result = await second.next(isResult);
    expect(result).toMatchObject({ status: "completed", text: expect.stringContaining("has disconnected") });
  }
});

test("pages of an allowed origin may read answers, and others are refused", async () => {
  const { url, token } = await served.address();
  const authorization = `Bearer ${token}`;
  const origin = "https://app.example.com";
  const metrics = await fetch(`${url}/metrics`, { headers: { origin, authorization } });
  expect([metrics.status, metrics.headers.get("access-control-allow-origin"), metrics.headers.get("vary")]).toEqual([
    200,
    origin,
    "Origin",
  ]);
  expect(metrics.headers.has("access-control-allow-credentials")).toBe(false);
  const preflight = await fetch(`${url}/metrics`, { method: "OPTIONS", headers: { origin } });
  expect([preflight.status, preflight.headers.get("access-control-allow-headers")]).toEqual([204, "authorization"]);
  const noToken = await fetch(`${url}/metrics`, { headers: { origin } });
  expect([noToken.status, noToken.headers.get("access-control-allow-origin")]).toEqual([401, origin]);
  for (const method of ["GET", "OPTIONS"]) {
    const other = await fetch(`${url}/metrics`, { method, headers: { origin: "https://evil.example", authorization } });
    expect([other.status, other.headers.get("access-control-allow-origin")]).toEqual([403, null]);
  }
  const page = await served.connect({ origin });
  expect(await page.ask({ type: "ping" })).toMatchObject({ success: true });
});

test("an origin with a wildcard or a path ends with 2 before anything starts", async () => {
  for (const origin of ["*", "https://*.example.com", "https://a.example/x"]) {
    const wrong = new ServeProgram({ args: ["--allow-origin", origin] });
    expect(await wrong.ended()).toBe(2);
    expect(wrong.stderr).toContain(`--allow-origin ${origin}: `);
    await wrong[Symbol.asyncDispose]();
  }
});
