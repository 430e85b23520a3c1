// Which call runs when, as seen by the tools.

import { expect, test } from "bun:test";
import type { ScriptStep } from "@pintle/ai/testing";
import type { Tool } from "../src/types.ts";
import { words } from "./support/notation.ts";
import { quiet } from "./support/quiet.ts";
import { scenario } from "./support/scenario.ts";
import { GatedTool, makeTool } from "./support/tools.ts";

/** A batch of calls, given by the letter of their tool and an optional key: s(hared) or x (exclusive), e.g. "s:file". */
async function batch(calls: string, rest: Partial<Tool> = {}) {
  const serializeOn = (args: unknown) => (args as { keys?: string[] }).keys ?? [];
  const shared = new GatedTool("s", { serializeOn, ...rest });
  const exclusive = new GatedTool("x", { concurrency: "exclusive", serializeOn });
  const steps = words(calls).map((one, index): ScriptStep => {
    const [tool = "", keys] = one.split(":");
    return { call: tool, id: String(index + 1), args: keys ? { keys: keys.split("+") } : {} };
  });
  const s = scenario({ answers: [steps, [{ text: "done" }]], tools: [shared.tool, exclusive.tool] });
  const run = s.prompt("go");
  await quiet();
  return {
    s,
    run,
    /** Ids of the calls that have started so far. */
    started: () => s.ofType("tool_execution_start").map(({ toolCallId }) => toolCallId),
    async finish(...ids: string[]) {
      for (const id of ids) (shared.open.get(id) ?? exclusive.at(id)).finish();
      await quiet();
    },
  };
}

test("shared calls run together", async () => {
  const { started, finish, run, s } = await batch("s s s");
  expect(started()).toEqual(["1", "2", "3"]);
  await finish("3", "1", "2");
  await run;
  expect(s.shortWords()).toEqual(
    words(`agent_start ts ms(U) me(U) ms(A) mu* me(A:toolUse) xs:1 xs:2 xs:3
      xe:3 ms(T) me(T) xe:1 ms(T) me(T) xe:2 ms(T) me(T) te ts ms(A) mu* me(A:stop) te agent_end(stop)`),
  );
});

test("events in order of completion, lists and the next request in order of the calls", async () => {
  const { finish, run, s } = await batch("s s s");
  await finish("3", "1", "2");
  await run;
  const ids = (messages: readonly { role: string }[]) =>
    messages.flatMap((message) =>
      message.role === "toolResult" ? [(message as { toolCallId?: string }).toolCallId] : [],
    );
  expect(ids(s.ofType("message_end").map(({ message }) => message))).toEqual(["3", "1", "2"]);
  expect(ids(s.ofType("turn_end")[0]?.toolResults ?? [])).toEqual(["1", "2", "3"]);
  expect(ids(s.ofType("agent_end")[0]?.messages ?? [])).toEqual(["1", "2", "3"]);
  expect(ids(s.agent.messages)).toEqual(["1", "2", "3"]);
  expect(ids(s.requests[1]?.context.messages ?? [])).toEqual(["1", "2", "3"]);
});

test("an exclusive call waits for all before it, and all after it wait for it", async () => {
  const { started, finish, run } = await batch("s s x s x x s");
  expect(started()).toEqual(["1", "2"]);
  await finish("2");
  expect(started()).toEqual(["1", "2"]);
  await finish("1");
  expect(started()).toEqual(["1", "2", "3"]);
  await finish("3");
  expect(started()).toEqual(["1", "2", "3", "4"]);
  await finish("4");
  expect(started()).toEqual(["1", "2", "3", "4", "5"]);
  await finish("5");
  expect(started()).toEqual(["1", "2", "3", "4", "5", "6"]);
  await finish("6");
  expect(started()).toEqual(["1", "2", "3", "4", "5", "6", "7"]);
  await finish("7");
  await run;
});

test("calls with the same key run in the order of the request, others alongside them", async () => {
  const { started, finish, run } = await batch("s:f s:g s:f s:f+g s");
  expect(started()).toEqual(["1", "2", "5"]);
  await finish("1");
  expect(started()).toEqual(["1", "2", "5", "3"]);
  await finish("3");
  expect(started()).toEqual(["1", "2", "5", "3"]);
  await finish("2");
  expect(started()).toEqual(["1", "2", "5", "3", "4"]);
  await finish("4", "5");
  await run;
});

test("a key also orders calls across an exclusive one", async () => {
  const { started, finish, run } = await batch("s:f x:f s:f");
  expect(started()).toEqual(["1"]);
  await finish("1");
  expect(started()).toEqual(["1", "2"]);
  await finish("2");
  expect(started()).toEqual(["1", "2", "3"]);
  await finish("3");
  await run;
});

test("a call that fails or never runs does not block later ones", async () => {
  const broken = new GatedTool("x", { concurrency: "exclusive" });
  const s = scenario({
    answers: [[{ call: "x" }, { call: "unknown" }, { call: "x", args: "[" }, { call: "x" }], [{ text: "done" }]],
    tools: [broken.tool],
  });
  const run = s.prompt("go");
  await quiet();
  broken.at("call_1").fail(new Error("boom"));
  await quiet();
  broken.at("call_4").finish();
  await run;
  expect(s.ofType("tool_execution_end").map(({ toolCallId, isError }) => [toolCallId, isError])).toEqual([
    ["call_1", true],
    ["call_2", true],
    ["call_3", true],
    ["call_4", false],
  ]);
});

test("concurrency may depend on the arguments; a function that throws means exclusive", async () => {
  const { started, finish, run } = await batch("s s:alone s:throw s", {
    concurrency: (args: unknown) => {
      const [key] = (args as { keys?: string[] }).keys ?? [];
      if (key === "throw") throw new Error("cannot tell");
      return key === "alone" ? "exclusive" : "shared";
    },
  } as Partial<Tool>);
  expect(started()).toEqual(["1"]);
  await finish("1");
  expect(started()).toEqual(["1", "2"]);
  await finish("2");
  expect(started()).toEqual(["1", "2", "3"]);
  await finish("3");
  expect(started()).toEqual(["1", "2", "3", "4"]);
  await finish("4");
  await run;
});

test("a serializeOn that throws or returns nonsense is ignored", async () => {
  for (const serializeOn of [
    () => {
      throw new Error("no");
    },
    () => "a string" as never,
    () => null as never,
  ]) {
    const { started, finish, run } = await batch("s s", { serializeOn });
    expect(started()).toEqual(["1", "2"]);
    await finish("1", "2");
    await run;
  }
});

test("each call knows the batch it belongs to", async () => {
  const tool = new GatedTool("s");
  const s = scenario({
    answers: [[{ call: "s" }, { call: "s" }], [{ call: "s" }], [{ text: "done" }]],
    tools: [tool.tool],
  });
  const run = s.prompt("go");
  for (const id of ["call_1", "call_2", "call_3"]) {
    await quiet();
    tool.at(id).finish();
  }
  await run;
  const batches = [...tool.open.values()].map(({ call }) => call.batch);
  expect(batches).toMatchObject([
    { index: 0, total: 2, names: ["s", "s"] },
    { index: 1, total: 2, names: ["s", "s"] },
    { index: 0, total: 1, names: ["s"] },
  ]);
  expect(batches[0]?.id).toBe(batches[1]?.id as string);
  expect(batches[0]?.id).not.toBe(batches[2]?.id as string);
});

test("hooks, the authorizer and listeners see a redirected call as a call of the other tool", async () => {
  const seen: unknown[] = [];
  const target = makeTool("target", async (args) => {
    seen.push({ ran: args });
    return { content: [{ type: "text", text: "done" }] };
  });
  const door = makeTool("door", undefined, {
    forward: ({ to, args }) => (to === "target" ? { tool: target, args: args as Record<string, unknown> } : undefined),
  });
  const calls: ScriptStep[] = [
    { call: "door", id: "1", args: { to: "target", args: { a: 1 } } },
    { call: "door", id: "2", args: { to: "nowhere" } },
  ];
  const s = scenario({
    answers: [calls, [{ text: "done" }]],
    tools: [door],
    hooks: {
      toolCall: async ({ name, arguments: args }) => {
        seen.push({ hook: name, args });
        return undefined;
      },
    },
    authorizer: {
      announce: () => {},
      permit: async ({ tool }) => {
        seen.push({ authorizer: tool.name });
        return undefined;
      },
    },
  });
  await s.prompt("go");
  expect(seen).toEqual(
    expect.arrayContaining([
      { hook: "target", args: { a: 1 } },
      { authorizer: "target" },
      { ran: { a: 1 } },
      { hook: "door", args: { to: "nowhere" } },
      { authorizer: "door" },
    ]),
  );
  expect(seen).toHaveLength(5);
  expect(s.ofType("tool_execution_start").map(({ toolName, args }) => [toolName, args])).toEqual([
    ["target", { a: 1 }],
    ["door", { to: "nowhere" }],
  ]);
  const [, answer] = s.agent.messages;
  // What the model sent stays unchanged.
  expect(answer).toMatchObject({ content: [{ name: "door", id: "1" }, { name: "door" }] });
});
