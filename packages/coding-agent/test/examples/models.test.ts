import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { type Respond, sendStatus, startLoopbackServer } from "../../../ai/test/support/loopback-server.ts";
import { startExample } from "../support/examples/start-example.ts";
import { callsTools, heldAnswer, says } from "../support/scenarios/chat-server.ts";
import type { Frame } from "../support/scenarios/rpc-child.ts";

// Examples that call or provide models.

test("second-opinion.ts shows the model the answer of another one", async () => {
  const answers = [says("Two and two are five."), says("Four, I think."), says("You are right.")];
  await using run = await startExample("second-opinion.ts", { answers });
  await run.rpc.prompt("add two and two");
  await run.command("/second-opinion nobody/knows");
  const [{ message, notifyType } = {}] = run.shown("notify");
  expect([message, notifyType]).toEqual(['There is no usable model "nobody/knows"', "warning"]);
  await run.rpc.call("prompt", { message: "/second-opinion local/thinker" });
  await run.rpc.until(({ type }) => type === "agent_settled");
  const [, second, third] = run.requests.map(({ body }) => [body.model, JSON.stringify(body.messages)]);
  expect(second).toEqual(["thinker", expect.stringContaining("Two and two are five.")]);
  expect(third).toEqual(["m", expect.stringContaining("thinker says:\\nFour, I think.")]);
});

test("local-provider.ts adds the models that the server lists", async () => {
  const list = sendStatus(200, JSON.stringify({ data: [{ id: "small" }, { id: "large" }] }));
  const route: Respond = (response, request, socket) =>
    (request.path === "/v1/models" ? list : says("from the server"))(response, request, socket);
  await using server = await startLoopbackServer(route);
  await using run = await startExample("local-provider.ts", {
    args: ["--model", "mine/large"],
    env: { MY_LLM_URL: `${server.url}/v1`, MY_LLM_KEY: "k1" },
  });
  await run.rpc.prompt("hello");
  const { messages } = (await run.rpc.call("get_messages")).data;
  expect(messages.at(-1).content).toMatchObject([{ type: "text", text: "from the server" }]);
  const [asked, chat] = server.requests;
  expect([asked?.path, asked?.headers.authorization]).toEqual(["/v1/models", "Bearer k1"]);
  expect([chat?.path, chat?.headers.authorization, chat?.body.model]).toEqual([
    "/v1/chat/completions",
    "Bearer k1",
    "large",
  ]);
  const { models } = (await run.rpc.call("get_available_models")).data;
  const mine = models.filter(({ provider }: { provider: string }) => provider === "mine");
  expect(mine.map(({ id }: { id: string }) => id)).toEqual(["small", "large"]);
});

test("local-provider.ts: pintle also starts without the server", async () => {
  await using run = await startExample("local-provider.ts", { env: { MY_LLM_URL: "http://127.0.0.1:9" } });
  await run.rpc.prompt("list");
  expect(run.resultOf("ls")[0]).toBe(false);
});

test("echo-model.ts answers without any server", async () => {
  await using run = await startExample("echo-model.ts", { args: ["--model", "echo/parrot"] });
  await run.rpc.prompt("Good morning, all");
  const { messages } = (await run.rpc.call("get_messages")).data;
  expect(messages.at(-1)).toMatchObject({
    role: "assistant",
    model: "parrot",
    content: [{ type: "text", text: "Good morning, all" }],
  });
  const deltas = run.rpc.frames.filter(({ assistantMessageEvent }) => assistantMessageEvent?.type === "text_delta");
  expect(deltas.map(({ assistantMessageEvent }) => assistantMessageEvent.delta).join("")).toBe("Good morning, all");
});

describe("subagents", () => {
  test("runs tasks in parallel in other processes, and returns their answers", async () => {
    await using run = await startExample("subagents", { files: { "a.txt": "x", "b.txt": "y" } });
    const tasks = ["search y in .", "read a.txt", "write c.txt: no"];
    await run.rpc.prompt(`call delegate ${JSON.stringify({ tasks })}`);
    const end = run.rpc.frames.findLast(({ type }) => type === "tool_execution_end");
    const { answers } = end?.result.details ?? {};
    expect(answers.map(({ task, isError }: Frame) => [task, isError])).toEqual(tasks.map((task) => [task, false]));
    const texts = answers.map(({ text }: Frame) => text);
    expect(texts).toEqual([
      expect.stringContaining("b.txt"),
      expect.stringContaining("a.txt"),
      expect.stringContaining("`write` is not active"),
    ]);
    const updates = run.rpc.frames.filter(({ type }) => type === "tool_execution_update");
    expect(updates.at(-1)?.partialResult.content[0].text).toBe(tasks.map((task) => `${task}: done`).join("\n"));
    expect(existsSync(run.file("c.txt"))).toBe(false);
  });

  test("an abort stops them too", async () => {
    const held = heldAnswer();
    const answers = [callsTools({ name: "delegate", args: { tasks: ["think for long"] } }), held.respond];
    await using run = await startExample("subagents", { answers });
    await run.rpc.call("prompt", { message: "go" });
    await held.asked;
    await run.rpc.call("abort");
    await held.left; // the other process has closed its connection
    expect(run.requests[1]?.body.tools.map((tool: Frame) => tool.function.name)).toEqual([
      "find",
      "grep",
      "ls",
      "read",
    ]);
  });
});
