import { expect, test } from "bun:test";
import { AssistantEventStream, type StreamModel } from "@pintle/ai";
import { user } from "../support/messages.ts";
import { words } from "../support/notation.ts";
import { scenario } from "../support/scenario.ts";
import { makeTool } from "../support/tools.ts";

const ONE_FAILED_TURN = words("agent_start ts ms(U) me(U) ms(A) me(A:error) te agent_end(error)");

test("a provider error keeps complete blocks and ends the run", async () => {
  const s = scenario({ answers: [[{ text: "half an ans" }, { fail: "server", message: "boom" }]] });
  await s.prompt("go");
  expect(s.shortWords()).toEqual(words("agent_start ts ms(U) me(U) ms(A) mu* me(A:error) te agent_end(error)"));
  expect(s.agent.messages.at(-1)).toMatchObject({
    content: [{ type: "text", text: "half an ans" }],
    stopReason: "error",
    errorMessage: "boom",
  });
});

test("a stream that disappears is an error, keeps its text and closes its message", async () => {
  const s = scenario({ answers: [[{ text: "so far" }, { vanish: true }]] });
  await s.prompt("go");
  expect(s.shortWords()).toEqual(words("agent_start ts ms(U) me(U) ms(A) mu* me(A:error) te agent_end(error)"));
  expect(s.agent.messages.at(-1)).toMatchObject({
    content: [{ type: "text", text: "so far" }],
    stopReason: "error",
    errorMessage: "Provider stream ended before completion",
  });
});

test("a stream that disappears in the middle of blocks loses the open call and the open signature", async () => {
  const head = { role: "assistant", api: "a", provider: "p", model: "m", stopReason: "stop", timestamp: 1 } as const;
  const usage = {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 0,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  };
  const thinking = { type: "thinking", thinking: "hm", thinkingSignature: "half" } as const;
  const call = { type: "toolCall", id: "c", name: "echo", arguments: { rm: "-rf /" } } as const;
  const s = scenario({
    stream: () => {
      const events = new AssistantEventStream();
      const first = { ...head, usage, content: [thinking] };
      const second = { ...head, usage, content: [thinking, call] };
      events.push({ type: "thinking_start", contentIndex: 0, partial: first });
      events.push({ type: "toolcall_start", contentIndex: 1, toolCall: { id: "c", name: "echo" }, partial: second });
      events.end();
      return events;
    },
    tools: [makeTool("echo")],
  });
  await s.prompt("go");
  expect(s.shortWords()).toEqual(words("agent_start ts ms(U) me(U) ms(A) mu* me(A:error) te agent_end(error)"));
  expect(s.agent.messages.at(-1)).toMatchObject({ content: [{ type: "thinking", thinking: "hm" }] });
  expect(s.agent.messages.at(-1)).not.toHaveProperty("content.0.thinkingSignature");
});

test("a throwing setup ends as a complete error message", async () => {
  const s = scenario({
    setup: () => {
      throw new Error("No API key found for acme.");
    },
  });
  await s.prompt("go");
  expect(s.words()).toEqual(ONE_FAILED_TURN);
  expect(s.ofType("message_start")[1]?.message).toMatchObject({ role: "assistant", content: [], stopReason: "stop" });
  expect(s.ofType("message_start")[1]?.message).not.toHaveProperty("errorMessage");
  expect(s.agent.messages.at(-1)).toMatchObject({ stopReason: "error", errorMessage: "No API key found for acme." });
  expect(s.ofType("turn_end")[0]?.message).toEqual(s.agent.messages.at(-1) as never);
});

test("a throwing setup names the model of the request", async () => {
  const model = () => s.model;
  const s = scenario({
    model,
    setup: () => {
      throw new Error("no key");
    },
  });
  await s.prompt("go");
  expect(s.agent.messages.at(-1)).toMatchObject({ provider: s.model.provider, model: "scripted" });
});

test("a rejecting setup in a later turn names the model of the previous turn", async () => {
  const s = scenario({
    answers: [[{ call: "echo" }]],
    setup: async () => {
      if (s.requests.length > 0) throw new Error("key expired");
      return { model: s.model, tools: [makeTool("echo")] };
    },
  });
  await s.prompt("go");
  expect(s.shortWords()).toEqual(
    words(`agent_start ts ms(U) me(U) ms(A) mu* me(A:toolUse) xs:call_1 xe:call_1 ms(T) me(T) te
      ts ms(A) me(A:error) te agent_end(error)`),
  );
  expect(s.agent.messages.at(-1)).toMatchObject({ model: "scripted", errorMessage: "key expired" });
});

test("a throwing context hook ends as a complete error message", async () => {
  const s = scenario({
    hooks: {
      context: async () => {
        throw new Error("transform broke");
      },
    },
  });
  await s.prompt("go");
  expect(s.words()).toEqual(ONE_FAILED_TURN);
  expect(s.agent.messages.at(-1)).toMatchObject({ errorMessage: "transform broke" });
});

test("a stream function that throws ends as a complete error message", async () => {
  const stream: StreamModel = () => {
    throw "not even an Error";
  };
  const s = scenario({ stream });
  await s.prompt("go");
  expect(s.words()).toEqual(ONE_FAILED_TURN);
  expect(s.agent.messages.at(-1)).toMatchObject({ errorMessage: "not even an Error" });
});

test("a failed run leaves the agent ready for the next prompt", async () => {
  const s = scenario({ answers: [[{ fail: "server" }], [{ text: "better" }]] });
  await s.prompt("go");
  expect(s.agent.isRunning).toBe(false);
  await s.prompt("again");
  expect(s.words().at(-1)).toBe("agent_end(stop)");
});

test("a throwing next ends the run with an error message of its own turn", async () => {
  const s = scenario({
    answers: [[{ text: "fine" }]],
    next: async () => {
      throw new Error("policy broke");
    },
  });
  await s.prompt("go");
  expect(s.shortWords()).toEqual(
    words("agent_start ts ms(U) me(U) ms(A) mu* me(A:stop) te ts ms(A) me(A:error) te agent_end(error)"),
  );
  expect(s.agent.messages.at(-1)).toMatchObject({ errorMessage: "policy broke" });
});

test("a next that throws synchronously behaves the same", async () => {
  const s = scenario({
    answers: [[{ text: "fine" }]],
    next: () => {
      throw new Error("policy broke");
    },
  });
  await s.prompt("go");
  expect(s.shortWords()).toEqual(
    words("agent_start ts ms(U) me(U) ms(A) mu* me(A:stop) te ts ms(A) me(A:error) te agent_end(error)"),
  );
});

test("an emitter that throws rejects the prompt and leaves the agent idle", async () => {
  const s = scenario({ answers: [[{ text: "fine" }], [{ text: "fine" }]] });
  let broken = true;
  s.listen((event) => {
    if (broken && event.type === "agent_end") throw new Error("pipe closed");
  });
  await expect(s.prompt("go")).rejects.toThrow("pipe closed");
  expect(s.agent.isRunning).toBe(false);
  expect(s.ofType("agent_end")).toHaveLength(1);
  broken = false;
  await s.agent.abort();
  await s.agent.prompt([user("again")]);
  expect(s.ofType("agent_end")).toHaveLength(2);
});
