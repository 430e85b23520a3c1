import { expect, test } from "bun:test";
import { startCachingAnthropic } from "../../../ai/test/support/cache/caching-server.ts";
import * as anthropic from "../../../ai/test/support/protocols/anthropic-messages/samples.ts";
import { type RpcChild, startRpc } from "../support/scenarios/rpc-child.ts";
import { VENDOR, vendorPlaceOn } from "../support/scenarios/vendor-place.ts";

const LONG = "a long answer ".repeat(400);
const says = anthropic.answer("end_turn", anthropic.textBlock(0, LONG));
const schema = { type: "object", properties: { a: { type: "string" }, b: { type: "string" } } };
const tool = (name: string, fields: object = {}) => ({
  name,
  description: `Does ${name}.`,
  parameters: schema,
  ...fields,
});

async function play(...flags: string[]) {
  return playWith([says], ...flags);
}

async function playWith(answers: string[], ...flags: string[]) {
  const server = await startCachingAnthropic(answers);
  const vendor = vendorPlaceOn(server);
  const rpc = await startRpc([...VENDOR, ...flags], vendor.place);
  const toolsOf = (index: number): string[] =>
    server.requests.at(index)?.body.tools.map(({ name }: { name: string }) => name);
  return {
    rpc,
    server,
    toolsOf,
    async [Symbol.asyncDispose]() {
      await rpc[Symbol.asyncDispose]();
      await vendor[Symbol.asyncDispose]();
    },
  };
}

const breaks = async (rpc: RpcChild) => (await rpc.call("get_session_stats")).data.cacheBreaks.count;

test("tools that arrive before the first prompt are included, late ones are appended, and removed ones disappear", async () => {
  await using played = await play("--set", "cache.lateTools=append");
  const { rpc, server, toolsOf } = played;
  await rpc.call("set_host_tools", { tools: [tool("zoom")] });
  await rpc.prompt("one");
  expect(toolsOf(-1)).toContain("zoom");
  await rpc.prompt("two");
  await rpc.call("set_host_tools", { tools: [tool("aim"), tool("zoom")] });
  await rpc.prompt("three");
  expect(toolsOf(-1)).toEqual([...toolsOf(0), "aim"]);
  // The tools before the new one are read from the cache: nothing else is identical to the two previous requests.
  const { tools } = server.requests[0]?.body ?? {};
  expect(server.readings.at(-1)?.read).toBeGreaterThan((JSON.stringify(tools).length / 4) * 0.8);
  await rpc.call("set_host_tools", { tools: [tool("aim")] });
  await rpc.prompt("four");
  expect(toolsOf(-1)).toEqual(toolsOf(-2).filter((name) => name !== "zoom"));
  expect(await breaks(rpc)).toBe(2);
});

test("defining the same tools again keeps the cache, whatever the order of names and keys", async () => {
  await using played = await play();
  const { rpc, server } = played;
  await rpc.call("set_host_tools", { tools: [tool("aim"), tool("zoom")] });
  await rpc.prompt("one");
  const swapped = { properties: { b: { type: "string" }, a: { type: "string" } }, type: "object" };
  await rpc.call("set_host_tools", { tools: [tool("zoom", { parameters: swapped }), tool("aim")] });
  await rpc.prompt("two");
  expect(server.readings[1]?.read).toBe(server.readings[0]?.total as number);
  expect(await breaks(rpc)).toBe(0);
});

test("held tools do not break the cache before a compaction; removed ones stay declared until then", async () => {
  await using played = await play("--set", "cache.lateTools=hold");
  const { rpc, server, toolsOf } = played;
  await rpc.call("set_host_tools", { tools: [tool("zoom")] });
  await rpc.prompt("one");
  await rpc.call("set_host_tools", { tools: [tool("aim")] });
  await rpc.prompt("two");
  await rpc.prompt("three");
  expect(toolsOf(2)).toEqual(toolsOf(0));
  expect(server.readings.slice(1).map(({ read }) => read)).toEqual(
    server.readings.slice(0, -1).map(({ total }) => total),
  );
  const notices = rpc.frames.filter(({ type, source }) => type === "notice" && source === "cache");
  expect(notices).toEqual([expect.objectContaining({ level: "info", message: expect.stringMatching(/: aim$/) })]);
  expect(await breaks(rpc)).toBe(0);
  await rpc.call("compact");
  await rpc.prompt("four");
  expect(toolsOf(-1)).toEqual([...toolsOf(0).filter((name) => name !== "zoom"), "aim"]);
  expect(await breaks(rpc)).toBe(1);
});

const callsLate = (id: string, args: object) =>
  anthropic.answer(
    "tool_use",
    anthropic.toolStart(0, id, "call_late_tool") +
      anthropic.toolInput(0, JSON.stringify(args)) +
      anthropic.blockStop(0),
  );

test("announced tools are called by their name in a message, and do not break the cache", async () => {
  const answers = [
    says,
    callsLate("t1", { name: "aim", arguments: { a: "x" } }),
    callsLate("t2", { name: "aim", arguments: { a: 1 } }),
    callsLate("t3", { name: "gone", arguments: {} }),
    says,
  ];
  await using played = await playWith(answers);
  const { rpc, server, toolsOf } = played;
  await rpc.prompt("one");
  expect(toolsOf(0)).toContain("call_late_tool");
  await rpc.call("set_host_tools", { tools: [tool("aim")] });
  const from = rpc.frames.length;
  await rpc.call("prompt", { message: "two" });
  const call = await rpc.until(({ type }) => type === "host_tool_call");
  expect(call).toMatchObject({ toolName: "aim", toolCallId: "t1", arguments: { a: "x" } });
  rpc.send({ type: "host_tool_result", id: call.id, result: { content: [{ type: "text", text: "aimed" }] } });
  await rpc.until(({ type }) => type === "agent_settled");

  const told = JSON.stringify(server.requests[1]?.body.messages.at(-1));
  expect(told).toContain("Does aim.");
  const starts = rpc.frames.slice(from).filter(({ type }) => type === "tool_execution_start");
  expect(starts.map(({ toolName }) => toolName)).toEqual(["aim", "aim", "call_late_tool"]);
  const results = rpc.frames.slice(from).filter(({ type }) => type === "tool_execution_end");
  expect(results.map(({ isError }) => isError)).toEqual([false, true, true]);
  expect(results[2]?.result.content[0].text).toContain("There is no tool gone.");
  expect(JSON.stringify(server.requests.at(-1)?.body).match(/Does aim\./g)).toHaveLength(1);
  expect(server.readings.slice(1).map(({ read }) => read)).toEqual(
    server.readings.slice(0, -1).map(({ total }) => total),
  );
  expect(await breaks(rpc)).toBe(0);
  // A compaction keeps the fixed part, and the tool is announced again.
  await rpc.call("compact");
  await rpc.prompt("three");
  const [first, last] = [server.requests[0]?.body, server.requests.at(-1)?.body];
  expect(JSON.stringify([last.tools, last.system[0].text])).toBe(JSON.stringify([first.tools, first.system[0].text]));
  expect(JSON.stringify(last.messages)).toContain("Does aim.");
});

test("a rule for an announced tool applies to its calls", async () => {
  const answers = [says, callsLate("t1", { name: "aim", arguments: {} }), says];
  await using played = await playWith(answers, "--set", "cache.lateTools=announce");
  const { rpc } = played;
  await rpc.call("set_policy", { rules: [{ effect: "deny", tool: "aim" }] });
  await rpc.prompt("one");
  await rpc.call("set_host_tools", { tools: [tool("aim")] });
  await rpc.prompt("two");
  expect(rpc.frames.find(({ type }) => type === "host_tool_call")).toBeUndefined();
  expect(rpc.frames.find(({ type }) => type === "tool_execution_end")).toMatchObject({
    toolName: "aim",
    isError: true,
  });
});
