import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { grammarViolations } from "@pintle/agent/testing";
import { type Respond, sendEvents, startLoopbackServer } from "../../../ai/test/support/loopback-server.ts";
import { startRpc } from "../support/scenarios/rpc-child.ts";
import { type Machine, machine } from "../support/scenarios/stored-sessions.ts";

const sse = (...chunks: object[]): Respond =>
  sendEvents([...chunks.map((chunk) => JSON.stringify(chunk)), "[DONE]"].map((data) => `data: ${data}\n\n`).join(""));

const callsTool = sse({
  choices: [
    {
      index: 0,
      delta: { tool_calls: [{ index: 0, id: "call_1", function: { name: "weather", arguments: '{"city":"Ulm"}' } }] },
      finish_reason: "tool_calls",
    },
  ],
});

const says = (content: string) => sse({ choices: [{ index: 0, delta: { content }, finish_reason: "stop" }] });

const weather = {
  name: "weather",
  description: "Weather of a city",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

function useServer(place: Machine, baseUrl: string): void {
  const home = join(place.env.PINTLE_HOME as string);
  mkdirSync(home, { recursive: true });
  const provider = { baseUrl, api: "openai-completions", auth: "none", models: [{ id: "m" }] };
  writeFileSync(join(home, "models.json"), JSON.stringify({ providers: { local: provider } }));
}

test("the model calls a host tool and answers with its result", async () => {
  using place = machine();
  await using server = await startLoopbackServer(callsTool, says("Sunny in Ulm."));
  useServer(place, server.url);
  await using rpc = await startRpc(["--model", "local/m"], place);
  await rpc.call("set_host_tools", { tools: [weather] });
  await rpc.call("prompt", { message: "How is the weather?" });
  const asked = await rpc.until((frame) => frame.type === "host_tool_call");
  expect(asked).toMatchObject({ toolCallId: "call_1", toolName: "weather", arguments: { city: "Ulm" } });
  const { data } = await rpc.call("get_pending");
  expect(data.pending).toMatchObject([{ kind: "host_tool", id: asked.id, toolName: "weather" }]);
  rpc.send({ type: "host_tool_result", id: asked.id, result: { content: [{ type: "text", text: "sunny" }] } });
  await rpc.until((frame) => frame.type === "agent_settled");
  expect((await rpc.call("get_last_assistant_text")).data.text).toBe("Sunny in Ulm.");
  expect(server.requests[1]?.body.messages.at(-1)).toEqual({ role: "tool", tool_call_id: "call_1", content: "sunny" });
  expect(grammarViolations(rpc.frames as never, { expectSettled: true })).toEqual([]);
});

test("abort cancels a call that the host does not answer, and the run ends", async () => {
  using place = machine();
  await using server = await startLoopbackServer(callsTool, says("never asked"));
  useServer(place, server.url);
  await using rpc = await startRpc(["--model", "local/m"], place);
  await rpc.call("set_host_tools", { tools: [weather] });
  await rpc.call("prompt", { message: "How is the weather?" });
  const asked = await rpc.until((frame) => frame.type === "host_tool_call");
  await rpc.call("abort");
  expect(rpc.frames.find((frame) => frame.type === "host_tool_cancel")).toMatchObject({ targetId: asked.id });
  expect(rpc.frames.findLast((frame) => frame.type === "agent_end")?.stopReason).toBe("aborted");
  expect(server.requests).toHaveLength(1);
  expect((await rpc.call("get_pending")).data.pending).toEqual([]);
  expect(grammarViolations(rpc.frames as never, { expectSettled: true })).toEqual([]);
});
