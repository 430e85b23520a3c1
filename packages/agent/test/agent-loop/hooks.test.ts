import { expect, test } from "bun:test";
import type { AgentMessage } from "../../src/messages.ts";
import { assistant, result, text, user } from "../support/messages.ts";
import { words } from "../support/notation.ts";
import { quiet } from "../support/quiet.ts";
import { scenario } from "../support/scenario.ts";
import { GatedTool, makeTool, ok } from "../support/tools.ts";

test("a slow messageEnd hook delays events but keeps their order", async () => {
  const gates: (() => void)[] = [];
  const s = scenario({
    answers: [[{ call: "echo" }, { call: "echo" }], [{ text: "done" }]],
    tools: [makeTool("echo")],
    hooks: { messageEnd: () => new Promise((resolve) => gates.push(() => resolve(undefined))) },
  });
  let isOver = false;
  const run = s.prompt("go").then(() => {
    isOver = true;
  });
  await quiet();
  expect(s.events.map(({ type }) => type)).toEqual(["agent_start", "turn_start"]); // nothing overtakes the user message
  while (!isOver) {
    gates.shift()?.();
    await quiet();
  }
  await run;
  expect(s.shortWords()).toEqual(
    words(`agent_start ts ms(U) me(U) ms(A) mu* me(A:toolUse) xs:call_1 xs:call_2
      xe:call_1 ms(T) me(T) xe:call_2 ms(T) me(T) te ts ms(A) mu* me(A:stop) te agent_end(stop)`),
  );
});

test("with a slow messageEnd hook, no event of another call comes between a call's end and its message", async () => {
  const tool = new GatedTool("work");
  const gate = Promise.withResolvers<undefined>();
  const s = scenario({
    answers: [[{ call: "work" }, { call: "work" }], [{ text: "done" }]],
    tools: [tool.tool],
    hooks: { messageEnd: async (message) => (message.role === "toolResult" ? gate.promise : undefined) },
  });
  const run = s.prompt("go");
  await quiet();
  tool.at("call_1").finish();
  await quiet();
  tool.at("call_2").call.update(ok("half"));
  tool.at("call_2").finish();
  await quiet();
  gate.resolve(undefined);
  await run;
  expect(s.shortWords()).toEqual(
    words(`agent_start ts ms(U) me(U) ms(A) mu* me(A:toolUse) xs:call_1 xs:call_2 xu:call_2
      xe:call_1 ms(T) me(T) xe:call_2 ms(T) me(T) te ts ms(A) mu* me(A:stop) te agent_end(stop)`),
  );
});

test("messageEnd replaces a message before it is stored; start and end of a whole message have the same content", async () => {
  const s = scenario({
    answers: [[{ call: "echo" }], [{ text: "my key is 123" }]],
    tools: [makeTool("echo", async () => ok("key 123"))],
    hooks: {
      messageEnd: async (message) => JSON.parse(JSON.stringify(message).replaceAll("123", "***")) as AgentMessage,
    },
  });
  await s.agent.prompt([user("123")]);
  expect(JSON.stringify(s.agent.messages)).not.toContain("123");
  expect(s.requests[1]?.context.messages).toMatchObject([
    { role: "user", content: "***" },
    { role: "assistant" },
    { role: "toolResult", content: [{ type: "text", text: "key ***" }] },
  ]);
  expect(s.ofType("turn_end").map(({ message }) => message)).toEqual(
    s.agent.messages.filter(({ role }) => role === "assistant") as never,
  );
  const starts = s.ofType("message_start").filter(({ message }) => message.role !== "assistant");
  const ends = s.ofType("message_end").filter(({ message }) => message.role !== "assistant");
  expect(starts.map(({ message }) => message)).toEqual(ends.map(({ message }) => message));
});

test("the calls of a replaced message are the ones that run", async () => {
  const ran: unknown[] = [];
  const s = scenario({
    answers: [[{ call: "echo", args: { a: 1 } }], [{ text: "ok" }]],
    tools: [
      makeTool("echo", async (args) => {
        ran.push(args);
        return ok("done");
      }),
    ],
    hooks: {
      messageEnd: async (message) =>
        message.role === "assistant" && message.stopReason === "toolUse"
          ? { ...message, content: [{ type: "toolCall", id: "mine", name: "echo", arguments: { a: 2 } }] }
          : undefined,
    },
  });
  await s.prompt("go");
  expect(ran).toEqual([{ a: 2 }]);
  expect(s.ofType("turn_end")[0]?.toolResults.map(({ toolCallId }) => toolCallId)).toEqual(["mine"]);
});

test("a replacement of another role, or a result for another call, is ignored", async () => {
  const s = scenario({
    answers: [[{ call: "echo" }], [{ text: "ok" }]],
    tools: [makeTool("echo")],
    hooks: {
      messageEnd: async (message) => {
        if (message.role === "user") return assistant([text("I am the user")]);
        return message.role === "toolResult" ? result("other", "stolen") : undefined;
      },
    },
  });
  await s.prompt("go");
  expect(s.agent.messages).toMatchObject([
    { role: "user", content: "go" },
    { role: "assistant" },
    { toolCallId: "call_1", content: [{ text: "echo done" }] },
    { role: "assistant" },
  ]);
});

for (const how of ["throws", "rejects"] as const) {
  const fail = (): never => {
    throw new Error("hook broke");
  };
  const broken = how === "throws" ? fail : async () => fail();

  test(`a messageEnd hook that ${how} changes nothing`, async () => {
    const s = scenario({
      answers: [[{ call: "echo" }], [{ text: "ok" }]],
      tools: [makeTool("echo")],
      hooks: { messageEnd: broken },
    });
    await s.prompt("go");
    expect(s.words().at(-1)).toBe("agent_end(stop)");
    expect(s.agent.messages.map(({ role }) => role)).toEqual(["user", "assistant", "toolResult", "assistant"]);
  });

  test(`a toolCall hook that ${how} blocks the call`, async () => {
    let isRun = false;
    const echo = makeTool("echo", async () => {
      isRun = true;
      return ok("ran");
    });
    const s = scenario({ answers: [[{ call: "echo" }], [{ text: "ok" }]], tools: [echo], hooks: { toolCall: broken } });
    await s.prompt("go");
    expect(isRun).toBe(false);
    expect(s.ofType("tool_execution_end")[0]).toMatchObject({
      isError: true,
      result: { content: [{ type: "text", text: "hook broke" }] },
    });
  });

  test(`a toolResult hook that ${how} leaves the result unchanged`, async () => {
    const s = scenario({
      answers: [[{ call: "echo" }], [{ text: "ok" }]],
      tools: [makeTool("echo")],
      hooks: { toolResult: broken },
    });
    await s.prompt("go");
    expect(s.ofType("tool_execution_end")[0]).toMatchObject({ isError: false, result: ok("echo done") });
  });
}

test("the context hook decides what is sent; what is stored stays unchanged", async () => {
  const seen: AgentMessage[][] = [];
  const s = scenario({
    answers: [[{ text: "one" }], [{ text: "two" }]],
    hooks: {
      context: async (messages) => {
        seen.push(messages);
        return [user("instead")];
      },
    },
  });
  await s.prompt("first");
  await s.prompt("second");
  expect(seen.map((messages) => messages.map(({ role }) => role))).toEqual([["user"], ["user", "assistant", "user"]]);
  expect(s.requests.map(({ context }) => context.messages)).toEqual([[user("instead")], [user("instead")]]);
  expect(s.agent.messages).toHaveLength(4);
});

test("pairs that a context hook has broken are repaired before they are sent", async () => {
  const s = scenario({
    answers: [[{ call: "echo" }], [{ text: "two" }]],
    tools: [makeTool("echo")],
    hooks: { context: async (messages) => messages.filter(({ role }) => role !== "toolResult") },
  });
  await s.prompt("first");
  expect(s.requests[1]?.context.messages).toMatchObject([
    { role: "user" },
    { role: "assistant" },
    { role: "toolResult", toolCallId: "call_1", isError: true },
  ]);
});
