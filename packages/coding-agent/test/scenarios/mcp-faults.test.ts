import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startHttpServer } from "../support/mcp/http-server.ts";
import { mcpFile, STDIO_SERVER, stdio } from "../support/mcp/servers-of.ts";
import { CHAT, type ChatPlace, callsTools, chatPlace, says } from "../support/scenarios/chat-server.ts";
import { type Frame, type RpcChild, startRpc } from "../support/scenarios/rpc-child.ts";

const CALL = callsTools({ name: "mcp__web__echo", args: { text: "hi" } });
const isStatus = (status: string) => (frame: Frame) => frame.type === "mcp_status" && frame.server.status === status;
const isMcpNotice = ({ type, source }: Frame) => type === "notice" && source === "mcp";
const isEnd = ({ type }: Frame) => type === "tool_execution_end";

function writeServers({ place }: ChatPlace, servers: Record<string, unknown>): void {
  writeFileSync(join(place.env.PINTLE_HOME as string, "mcp.json"), mcpFile(servers));
}

const statuses = (rpc: RpcChild) =>
  rpc.frames.filter(({ type }) => type === "mcp_status").map(({ server }) => server.status);

describe("a server that is unavailable at startup", () => {
  test("is connected once it can be reached, without a warning in between", async () => {
    const early = await startHttpServer();
    const port = Number(new URL(early.url).port);
    await early[Symbol.asyncDispose]();
    await using chat = await chatPlace(CALL, says("done"));
    writeServers(chat, { web: { url: early.url } });
    await using rpc = await startRpc(CHAT, chat.place);
    const { server } = await rpc.until(isStatus("failed"));
    expect(server.error).toBe("connection refused");
    await using _late = await startHttpServer({ port });
    await rpc.until(isStatus("connected"));
    await rpc.prompt("go");
    expect(rpc.frames.find(isEnd)).toMatchObject({ isError: false, result: { content: [{ text: "echo: hi" }] } });
    expect(rpc.frames.filter(isMcpNotice).map(({ message }) => message)).toEqual([
      'MCP server "web" cannot be used: connection refused',
    ]);
    // The second "connected" has the number of tools.
    expect(statuses(rpc).filter((status, index, all) => status !== all[index - 1])).toEqual([
      "connecting",
      "failed",
      "connected",
    ]);
  });

  test("is retried at the next prompt if it is a program", async () => {
    await using chat = await chatPlace(says("one"), says("two"), says("three"));
    const script = join(chat.place.cwd, "server.ts");
    writeServers(chat, { web: { ...stdio(), args: [script] } });
    await using rpc = await startRpc([...CHAT, "--set", "cache.lateTools=append"], chat.place);
    await rpc.until(isStatus("failed"));
    await rpc.prompt("go");
    writeFileSync(script, `import ${JSON.stringify(STDIO_SERVER)};`);
    await rpc.prompt("again");
    await rpc.until(isStatus("connected"));
    await rpc.prompt("with tools");
    const offered = chat.server.requests.at(-1)?.body.tools.map((tool: Frame) => tool.function.name);
    expect(offered).toContain("mcp__web__echo");
    expect(rpc.frames.filter(isMcpNotice)).toHaveLength(1);
  });
});

describe("messages about a server", () => {
  test("contain neither an HTML page nor the runtime's advice", async () => {
    await using http = await startHttpServer();
    await using chat = await chatPlace(CALL, CALL, says("done"));
    writeServers(chat, { web: { url: http.url } });
    await using rpc = await startRpc(CHAT, chat.place);
    await rpc.until(isStatus("connected"));
    http.answer = () =>
      new Response("<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head></html>", { status: 502 });
    await rpc.prompt("go");
    const texts = rpc.frames.filter(isEnd).map(({ result }) => result.content[0].text);
    expect(texts).toEqual([
      'MCP server "web" answered with an error: HTTP 502: an HTML page ("502 Bad Gateway")',
      'MCP server "web" has ended and could not be started again: HTTP 502: an HTML page ("502 Bad Gateway")',
    ]);
  });

  test("describe a closed connection in plain words", async () => {
    using rude = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: (socket) => void socket.end() } });
    await using chat = await chatPlace(says("done"));
    writeServers(chat, { web: { url: `http://127.0.0.1:${rude.port}/mcp` } });
    await using rpc = await startRpc(CHAT, chat.place);
    const { server } = await rpc.until(isStatus("failed"));
    expect(server.error).toBe("connection reset");
  });
});

describe("reload_mcp", () => {
  test("detects a changed definition of the same server", async () => {
    await using chat = await chatPlace();
    writeServers(chat, { web: stdio() });
    await using rpc = await startRpc(CHAT, chat.place);
    await rpc.until(isStatus("connected"));
    writeServers(chat, { web: stdio("--many", "3") });
    await rpc.call("reload_mcp");
    const { server } = await rpc.until(({ type, server }) => type === "mcp_status" && server.tools === 11);
    expect(server).toMatchObject({ name: "web" });
    expect(statuses(rpc)).toContain("stopped");
  });

  test("detects a project's file that was added or changed, and asks the host about it", async () => {
    await using chat = await chatPlace();
    const file = join(chat.place.cwd, ".mcp.json");
    await using rpc = await startRpc(CHAT, chat.place);
    await rpc.call("set_host_capabilities", { trust: true });
    for (const name of ["first", "second"]) {
      writeFileSync(file, mcpFile({ [name]: stdio() }));
      await rpc.call("reload_mcp");
      const { id, items } = await rpc.until(({ type }) => type === "trust_request");
      expect(items).toMatchObject([{ kind: "mcp_server", name }]);
      expect((await rpc.call("get_mcp_status")).data.servers).toEqual([]);
      rpc.send({ type: "trust_response", id, trusted: true });
      await rpc.until((frame) => isStatus("connected")(frame) && frame.server.name === name);
    }
    expect((await rpc.call("get_mcp_status")).data.servers).toMatchObject([{ name: "second", status: "connected" }]);
  });
});

test("roots and sampling are not announced to a server, and are rejected if it requests them", async () => {
  await using chat = await chatPlace(callsTools({ name: "mcp__web__curious" }), says("done"));
  const script = join(chat.place.cwd, "curious.js");
  writeFileSync(script, CURIOUS);
  writeServers(chat, { web: { command: process.execPath, args: [script] } });
  await using rpc = await startRpc(CHAT, chat.place);
  await rpc.until(isStatus("connected"));
  await rpc.prompt("go");
  const { isError, result } = rpc.frames.find(isEnd) ?? {};
  expect(isError).toBe(false);
  const { capabilities, answers } = JSON.parse(result.content[0].text);
  expect(Object.keys(capabilities).filter((name) => ["roots", "sampling", "tasks"].includes(name))).toEqual([]);
  expect(answers).toEqual([
    { id: "roots/list", error: { code: -32601, message: "Method not found" } },
    { id: "sampling/createMessage", error: { code: -32601, message: "Method not found" } },
  ]);
});

/** Sends every request that a server can send to a client, and answers the call with the responses. */
const CURIOUS = `
const say = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
const answers = [];
let capabilities;
let call;
const ASKED = {
  "roots/list": {},
  "sampling/createMessage": { messages: [{ role: "user", content: { type: "text", text: "hi" } }], maxTokens: 9 },
};
const on = {
  initialize: (id, params) => {
    capabilities = params.capabilities;
    const { protocolVersion } = params;
    say({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "curious", version: "1" } } });
  },
  "tools/list": (id) => say({ id, result: { tools: [{ name: "curious", inputSchema: { type: "object" } }] } }),
  "tools/call": (id) => {
    call = id;
    for (const [method, params] of Object.entries(ASKED)) say({ id: method, method, params });
  },
};
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params, result, error } = JSON.parse(line);
  if (method !== undefined) return on[method]?.(id, params);
  answers.push({ id, result, error });
  if (answers.length < Object.keys(ASKED).length) return;
  say({ id: call, result: { content: [{ type: "text", text: JSON.stringify({ capabilities, answers }) }] } });
});
`;
