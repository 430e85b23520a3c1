import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startLoginServer } from "../support/mcp/login-server.ts";
import { CHAT, type ChatPlace, callsTools, chatPlace, says } from "../support/scenarios/chat-server.ts";
import { type Frame, type RpcChild, startRpc } from "../support/scenarios/rpc-child.ts";

const homeOf = ({ place }: ChatPlace) => place.env.PINTLE_HOME as string;
const CALL = callsTools({ name: "mcp__web__echo", args: { text: "hi" } });

function writeServer(chat: ChatPlace, server: object, settings: object = {}): void {
  writeFileSync(join(homeOf(chat), "mcp.json"), JSON.stringify({ mcpServers: { web: server } }));
  writeFileSync(join(homeOf(chat), "settings.json"), JSON.stringify(settings));
}

/** The program, with a host that shows logins. */
async function startHost(chat: ChatPlace): Promise<RpcChild> {
  const rpc = await startRpc(CHAT, chat.place);
  await rpc.call("set_host_capabilities", { mcpAuth: true });
  return rpc;
}

const isRequest = ({ type }: Frame) => type === "mcp_auth_request";
const isFailed = ({ type, server }: Frame) => type === "mcp_status" && server.status === "failed";
/** It may have been reported before the response to the host's first command. */
const failure = async (rpc: RpcChild) => rpc.frames.find(isFailed) ?? (await rpc.until(isFailed));
const isConnected = ({ type, server }: Frame) => type === "mcp_status" && server.status === "connected";

/** Acts as a browser whose user agrees; returns the address that it is redirected to. */
const browse = async (url: string) => (await fetch(url, { redirect: "manual" })).headers.get("location") ?? "";

async function echoed(rpc: RpcChild): Promise<string> {
  await rpc.call("prompt", { message: "go" });
  const { result } = await rpc.until(({ type }) => type === "tool_execution_end");
  await rpc.until(({ type }) => type === "agent_settled");
  return result.content[0].text;
}

describe("a server that requires a login", () => {
  test("the host shows it and returns the redirect address; later starts need no login", async () => {
    await using server = await startLoginServer();
    await using chat = await chatPlace(CALL, says("ok"));
    writeServer(chat, { url: server.http.url });
    {
      await using rpc = await startHost(chat);
      const { id, server: name, url, expiresAt } = await rpc.until(isRequest);
      expect({ name, isLater: expiresAt > Date.now() }).toEqual({ name: "web", isLater: true });
      expect((await rpc.call("get_pending")).data.pending).toMatchObject([{ kind: "mcp_auth", id, title: "web" }]);
      rpc.send({ type: "mcp_auth_response", id, redirectUrl: await browse(url) });
      await rpc.until(isConnected);
      expect(await echoed(rpc)).toBe("echo: hi");
      await rpc.end();
      const told = `${JSON.stringify(rpc.frames)}${await rpc.stderr()}`;
      expect(told).not.toContain("-token-1");
    }
    const [file, ...others] = readdirSync(join(homeOf(chat), "mcp-logins"));
    expect(others).toEqual([]);
    const path = join(homeOf(chat), "mcp-logins", file!);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, "utf8")).toContain("access-token-1");

    chat.server.respond(CALL, says("ok"));
    await using again = await startHost(chat);
    await again.until(isConnected);
    expect(await echoed(again)).toBe("echo: hi");
    expect(again.frames.filter(isRequest)).toEqual([]);
    // The code was bound to this login, and the token to this server.
    const token = server.asked.find(({ path }) => path === "/token");
    expect(token?.fields).toMatchObject({ resource: server.http.url, code: "code-1" });
  });

  test("the browser is redirected back, and the host is notified that it has nothing to do", async () => {
    await using server = await startLoginServer();
    await using chat = await chatPlace(CALL, says("ok"));
    writeServer(chat, { url: server.http.url });
    await using rpc = await startHost(chat);
    const { id, url } = await rpc.until(isRequest);
    // Any page in the browser can send requests there, which must not end the login.
    const place = new URL(url).searchParams.get("redirect_uri") ?? "";
    expect((await fetch(place)).status).toBe(404);
    expect((await fetch(`${place}?code=code-1&state=forged`)).status).toBe(404);
    const page = await fetch(url); // follows the redirect, as browsers do
    expect(page.status).toBe(200);
    expect(await rpc.until(({ type }) => type === "mcp_auth_cancel")).toMatchObject({
      targetId: id,
      reason: "answered",
    });
    await rpc.until(isConnected);
    expect(await echoed(rpc)).toBe("echo: hi");
  });

  test("expired tokens are renewed silently", async () => {
    await using server = await startLoginServer();
    await using chat = await chatPlace(CALL, says("ok"));
    writeServer(chat, { url: server.http.url });
    await using rpc = await startHost(chat);
    const { id, url } = await rpc.until(isRequest);
    rpc.send({ type: "mcp_auth_response", id, redirectUrl: await browse(url) });
    await rpc.until(isConnected);
    server.valid.clear();
    expect(await echoed(rpc)).toBe("echo: hi");
    expect(rpc.frames.filter(isRequest)).toHaveLength(1);
    expect(server.asked.filter(({ fields }) => fields.grant_type === "refresh_token")).toHaveLength(1);
  });

  test.each([
    ["that belongs to another login", (url: string) => url.replace(/state=[^&]+/, "state=forged"), /state differs/],
    ["that is invalid", () => "nonsense", /invalid address/],
    [
      "that reports a denial",
      (url: string) => url.replace(/code=[^&]+/, "error=access_denied"),
      /access_denied|cannot be used/,
    ],
  ])("a redirect address %s fails the login", async (_, change, expected) => {
    await using server = await startLoginServer();
    await using chat = await chatPlace(says("ok"));
    writeServer(chat, { url: server.http.url });
    await using rpc = await startHost(chat);
    const { id, url } = await rpc.until(isRequest);
    rpc.send({ type: "mcp_auth_response", id, redirectUrl: change(await browse(url)) });
    const { server: status } = await failure(rpc);
    expect(status.error).toMatch(expected);
    expect(server.asked.filter(({ path }) => path === "/token")).toEqual([]);
  });

  test("a host that shows no logins is not asked, and the error explains what is missing", async () => {
    await using server = await startLoginServer();
    await using chat = await chatPlace(says("ok"));
    writeServer(chat, { url: server.http.url });
    await using rpc = await startRpc(CHAT, chat.place);
    const { server: status } = await failure(rpc);
    expect(status.error).toContain("it requires a login");
    expect(rpc.frames.filter(isRequest)).toEqual([]);
  });

  test("a server is not used if the host does not answer, and a late answer changes nothing", async () => {
    await using server = await startLoginServer();
    await using chat = await chatPlace(says("ok"));
    writeServer(chat, { url: server.http.url }, { mcp: { loginTimeoutMs: 1000 } });
    await using rpc = await startHost(chat);
    const { id, url } = await rpc.until(isRequest);
    expect(await rpc.until(({ type }) => type === "mcp_auth_cancel")).toMatchObject({
      targetId: id,
      reason: "timeout",
    });
    await failure(rpc);
    rpc.send({ type: "mcp_auth_response", id, redirectUrl: await browse(url) });
    expect((await rpc.call("get_mcp_status")).data.servers).toMatchObject([{ name: "web", status: "failed" }]);
    await rpc.prompt("still here");
  });

  test.each([
    ["no token", () => Response.json({ hello: "there" }), "the response does not follow the protocol: access_token: "],
    [
      "no OAuth error",
      () => Response.json({ detail: "go away" }, { status: 500 }),
      "HTTP 500: the login server refused: ",
    ],
    ["a page", () => new Response("<html><title>Oops</title></html>", { status: 502 }), 'an HTML page ("Oops")'],
  ])("reports a login that fails with %s in one line, without validation details", async (_what, answer, text) => {
    await using server = await startLoginServer();
    server.tokenAnswer = answer;
    await using chat = await chatPlace(says("ok"));
    writeServer(chat, { url: server.http.url });
    await using rpc = await startHost(chat);
    const { id, url } = await rpc.until(isRequest);
    rpc.send({ type: "mcp_auth_response", id, redirectUrl: await browse(url) });
    const failed = await failure(rpc);
    expect(failed.server.error).toContain(text);
    await rpc.end();
    for (const said of [JSON.stringify(rpc.frames), await rpc.stderr()]) {
      expect(said).not.toMatch(/invalid_type|invalid_union|Invalid OAuth error response|Raw body/);
    }
  });

  test("the client_credentials grant needs no user, and its secret stays out of errors", async () => {
    await using server = await startLoginServer();
    await using chat = await chatPlace(says("ok"));
    const oauth = { grantType: "client_credentials", clientId: "robot", clientSecret: "robot-secret" };
    writeServer(chat, { url: server.http.url, oauth });
    await using rpc = await startHost(chat);
    const { server: status } = await failure(rpc); // this authorization server does not support that grant
    expect(server.asked.at(-1)?.fields).toMatchObject({ grant_type: "client_credentials" });
    expect(status.error).not.toContain("robot-secret");
    expect(rpc.frames.filter(isRequest)).toEqual([]);
  });
});
