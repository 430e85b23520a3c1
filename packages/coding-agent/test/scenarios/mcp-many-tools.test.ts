import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startCachingAnthropic } from "../../../ai/test/support/cache/caching-server.ts";
import * as anthropic from "../../../ai/test/support/protocols/anthropic-messages/samples.ts";
import { mcpFile } from "../support/mcp/servers-of.ts";
import { CHAT, type ChatPlace, callsTools, chatPlace, says } from "../support/scenarios/chat-server.ts";
import { type Frame, type RpcChild, startRpc } from "../support/scenarios/rpc-child.ts";
import { machine } from "../support/scenarios/stored-sessions.ts";
import { VENDOR, vendorPlaceOn } from "../support/scenarios/vendor-place.ts";

const LISTING_SERVER = fileURLToPath(import.meta.resolve("../support/mcp/listing-server.ts"));

const properties = { text: { type: "string", description: "what it is about, in the words of the user" } };
const schema = { type: "object", properties, required: ["text"] };
const entry = (index: number) => ({
  name: `tool_${index}`,
  description: `Handles case ${index}. ${"It does a number of things that take some words to explain. ".repeat(4)}`,
  inputSchema: schema,
});

function serve({ place }: Pick<ChatPlace, "place">, count: number): void {
  const home = place.env.PINTLE_HOME as string;
  mkdirSync(home, { recursive: true });
  const file = join(home, "tools.json");
  writeFileSync(file, JSON.stringify(Array.from({ length: count }, (_, index) => entry(index))));
  writeFileSync(join(home, "mcp.json"), mcpFile({ many: { command: process.execPath, args: [LISTING_SERVER, file] } }));
}

const ends = (rpc: RpcChild) => rpc.frames.filter(({ type }) => type === "tool_execution_end");
const toolsOf = (request: { body: Frame } | undefined): string[] =>
  request?.body.tools.map((tool: Frame) => tool.function?.name ?? tool.name);
const isMcp = (name: string) => name.startsWith("mcp__");
const calls = (name: string, args: object, id: string) =>
  anthropic.answer(
    "tool_use",
    anthropic.toolStart(0, id, name) + anthropic.toolInput(0, JSON.stringify(args)) + anthropic.blockStop(0),
  );

describe("300 MCP tools", () => {
  test("cost little, are found and called, and keep the cache intact", async () => {
    const name = "mcp__many__tool_7";
    const done = anthropic.answer("end_turn", anthropic.textBlock(0, "done"));
    const server = await startCachingAnthropic([
      calls("search_late_tools", { query: name }, "t1"),
      calls("call_late_tool", { name, arguments: { text: "found" } }, "t2"),
      calls("mcp__many__tool_8", { text: "by its name" }, "t3"),
      calls("mcp__many__tool_9", { words: "wrong" }, "t4"),
      done,
    ]);
    await using vendor = vendorPlaceOn(server);
    serve(vendor, 300);
    await using rpc = await startRpc(VENDOR, vendor.place);
    await rpc.prompt("one");
    const results = ends(rpc).map(({ toolName, isError, result }) => [toolName, isError, result.content[0].text]);
    expect(results).toEqual([
      ["search_late_tools", false, expect.stringContaining(JSON.stringify(properties))],
      [name, false, 'tool_7 {"text":"found"}'],
      ["mcp__many__tool_8", false, 'tool_8 {"text":"by its name"}'],
      ["mcp__many__tool_9", true, expect.stringContaining(JSON.stringify(schema))],
    ]);
    expect(toolsOf(server.requests[0]).filter(isMcp)).toEqual([]);
    expect(toolsOf(server.requests[0])).toEqual(expect.arrayContaining(["search_late_tools", "call_late_tool"]));
    expect(JSON.stringify(server.requests[0]?.body).length).toBeLessThan(45_000);
    expect(JSON.stringify(server.requests[0]?.body.messages)).toContain("tool_299: Handles case 299.");

    // Everything was read from the cache again, and nothing was sent twice.
    expect(server.readings.slice(1).map(({ read }) => read)).toEqual(
      server.readings.slice(0, -1).map(({ total }) => total),
    );
    expect((await rpc.call("get_session_stats")).data.cacheBreaks.count).toBe(0);
    await rpc.prompt("two");
    expect(JSON.stringify(server.requests.at(-1)?.body.messages).match(/tool_299: /g)).toHaveLength(1);
    // The host sees them all.
    const { dumpTools } = (await rpc.call("get_state")).data;
    expect(dumpTools.map((tool: Frame) => tool.name).filter(isMcp)).toHaveLength(300);

    // A compaction keeps the declared tools, and the list is again part of the conversation.
    await rpc.call("compact");
    await rpc.prompt("three");
    expect(toolsOf(server.requests.at(-1))).toEqual(toolsOf(server.requests[0]));
    expect(JSON.stringify(server.requests.at(-1)?.body.messages).match(/tool_299: /g)).toHaveLength(1);
  });

  test("are judged by rules and shown to the host by their own names", async () => {
    const name = "mcp__many__tool_7";
    const call = { name: "call_late_tool", args: { name, arguments: { text: "x" } } };
    await using chat = await chatPlace(callsTools(call), callsTools({ name, args: { text: "x" } }), says("done"));
    serve(chat, 300);
    await using rpc = await startRpc(CHAT, chat.place);
    await rpc.call("set_policy", { rules: [{ effect: "deny", tool: name }] });
    await rpc.prompt("go");
    expect(ends(rpc)).toMatchObject([
      { toolName: name, isError: true },
      { toolName: name, isError: true },
    ]);
  });

  test("are called by the offline model like any other tool", async () => {
    using place = machine();
    serve({ place }, 300);
    await using rpc = await startRpc([], place);
    await rpc.prompt('call mcp__many__tool_7 {"text":"x"}');
    await rpc.prompt("call mcp__many__none {}");
    expect(ends(rpc).map(({ toolName, isError }) => [toolName, isError])).toEqual([
      ["mcp__many__tool_7", false],
      ["mcp__many__none", true],
    ]);
  });

  test("are declared as usual up to the number in the settings", async () => {
    await using chat = await chatPlace(says("done"));
    serve(chat, 60);
    await using rpc = await startRpc([...CHAT, "--set", "mcp.deferAbove=60"], chat.place);
    await rpc.prompt("go");
    expect(toolsOf(chat.server.requests[0]).filter(isMcp)).toHaveLength(60);
    expect(toolsOf(chat.server.requests[0])).not.toContain("search_late_tools");
  });
});

test("a model with a tool limit gets no more tools of any kind, and a notice reports it", async () => {
  const args = { name: "host_30", arguments: {} };
  await using chat = await chatPlace(callsTools({ name: "call_late_tool", args }), says("done"));
  serve(chat, 30);
  const models = join(chat.place.env.PINTLE_HOME as string, "models.json");
  const file = JSON.parse(readFileSync(models, "utf8"));
  file.providers.local.models[0].compat = { maxTools: 40 };
  writeFileSync(models, JSON.stringify(file));
  await using rpc = await startRpc(CHAT, chat.place);
  const tools = Array.from({ length: 40 }, (_, index) => ({
    name: `host_${String(index).padStart(2, "0")}`,
    description: "Of the host.",
    parameters: { type: "object", properties: {} },
  }));
  await rpc.call("set_host_tools", { tools });
  await rpc.call("prompt", { message: "go" });
  const call = await rpc.until(({ type }) => type === "host_tool_call");
  expect(call).toMatchObject({ toolName: "host_30" });
  rpc.send({ type: "host_tool_result", id: call.id, result: { content: [{ type: "text", text: "ok" }] } });
  await rpc.until(({ type }) => type === "agent_settled");
  const declared = toolsOf(chat.server.requests[0]);
  expect(declared.length).toBeLessThanOrEqual(40);
  expect(declared).toEqual(expect.arrayContaining(["read", "bash", "host_00", "search_late_tools"]));
  expect(declared).not.toContain("host_30");
  expect(toolsOf(chat.server.requests[1])).toEqual(declared);
  const notices = rpc.frames.filter(({ type, source }) => type === "notice" && source === "tools");
  expect(notices.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^local\/m takes at most 40 tools in a request: \d+ of the tools are not declared/),
  ]);
});
