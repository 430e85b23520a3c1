import { expect, test } from "bun:test";
import { Type } from "typebox";
import { words } from "../support/notation.ts";
import { scenario } from "../support/scenario.ts";
import { makeTool } from "../support/tools.ts";

const failIfRun = makeTool("echo", () => {
  throw new Error("must not run");
});

test("a call in an answer cut at the output limit never runs; the model is asked to split the work", async () => {
  const s = scenario({
    answers: [[{ call: "echo", args: { a: 1 } }, { call: "echo" }, { stop: "length" }], [{ text: "smaller" }]],
    tools: [failIfRun],
  });
  await s.prompt("go");
  expect(s.shortWords()).toEqual(
    words(`agent_start ts ms(U) me(U) ms(A) mu* me(A:length)
      xs:call_1 xe:call_1! ms(T) me(T) xs:call_2 xe:call_2! ms(T) me(T) te
      ts ms(A) mu* me(A:stop) te agent_end(stop)`),
  );
  expect(s.ofType("turn_end")[0]?.toolResults[0]).toMatchObject({
    isError: true,
    content: [{ type: "text", text: expect.stringContaining("Split the work") as never }],
    details: { __synthetic: true, executed: false, source: "length" },
  });
});

test("calls in a failed message are answered with the error and leave the next context with it", async () => {
  const s = scenario({
    answers: [
      [{ text: "let me" }, { call: "echo" }, { fail: "overloaded", message: "Overloaded" }],
      [{ text: "fine" }],
    ],
    tools: [failIfRun],
  });
  await s.prompt("go");
  expect(s.shortWords()).toEqual(
    words(`agent_start ts ms(U) me(U) ms(A) mu* me(A:error) xs:call_1 xe:call_1! ms(T) me(T) te agent_end(error)`),
  );
  expect(s.ofType("turn_end")[0]?.toolResults).toMatchObject([
    {
      content: [{ type: "text", text: "Tool execution failed due to an error: Overloaded" }],
      isError: true,
      details: { __synthetic: true, executed: false, source: "error" },
    },
  ]);
  await s.prompt("again");
  expect(s.requests[1]?.context.messages).toMatchObject([{ role: "user", content: "go\n\nagain" }]);
});

test("the start of a refused call contains its intent like any other", async () => {
  const s = scenario({
    answers: [[{ call: "echo" }, { stop: "length" }], [{ text: "ok" }]],
    tools: [failIfRun],
    hooks: {
      messageEnd: async (message) =>
        message.role === "assistant"
          ? { ...message, content: message.content.map((block) => ({ ...block, intent: "looking" })) }
          : undefined,
    },
  });
  await s.prompt("go");
  expect(s.ofType("tool_execution_start")).toEqual([
    { type: "tool_execution_start", toolCallId: "call_1", toolName: "echo", args: {}, intent: "looking" },
  ]);
});

test("an unknown tool is answered with its name up to three near names, and the list of tools", async () => {
  const tools = ["read", "read_file", "grep", "reads", "raed"].map((name) => makeTool(name));
  const s = scenario({ answers: [[{ call: "reed" }, { call: "zzz" }], [{ text: "ok" }]], tools });
  await s.prompt("go");
  expect(s.ofType("tool_execution_end").map(({ result, isError }) => [isError, result])).toEqual([
    [
      true,
      {
        content: [
          {
            type: "text",
            text: "Tool reed not found. Similar names: raed, read. Your tools: read, read_file, grep, reads, raed",
          },
        ],
        details: {},
      },
    ],
    [
      true,
      {
        content: [{ type: "text", text: "Tool zzz not found. Your tools: read, read_file, grep, reads, raed" }],
        details: {},
      },
    ],
  ]);
  expect(s.shortWords()).toEqual(
    words(`agent_start ts ms(U) me(U) ms(A) mu* me(A:toolUse) xs:call_1 xs:call_2
      xe:call_1! ms(T) me(T) xe:call_2! ms(T) me(T) te ts ms(A) mu* me(A:stop) te agent_end(stop)`),
  );
});

test("bad arguments are answered with the validation text; the tool does not run", async () => {
  const strict = { ...failIfRun, parameters: Type.Object({ path: Type.String() }) };
  const s = scenario({ answers: [[{ call: "echo", args: { path: 5 } }], [{ text: "ok" }]], tools: [strict] });
  await s.prompt("go");
  expect(s.ofType("tool_execution_end")[0]).toMatchObject({
    isError: true,
    result: {
      content: [
        {
          type: "text",
          text: 'Validation failed for tool "echo":\n  - path: must be string\n\nReceived arguments:\n{\n  "path": 5\n}',
        },
      ],
    },
  });
});

test("arguments that are not JSON, or not an object, never run repaired", async () => {
  const s = scenario({
    answers: [
      [
        { call: "echo", args: '{"path":"/etc' },
        { call: "echo", args: "[1]" },
      ],
      [{ text: "ok" }],
    ],
    tools: [failIfRun],
  });
  await s.prompt("go");
  expect(s.ofType("turn_end")[0]?.toolResults.map(({ isError, content }) => [isError, content[0]])).toEqual([
    [
      true,
      {
        type: "text",
        text: expect.stringMatching(
          /^Validation failed for tool "echo":\n {2}- root: Arguments are not valid JSON .*\{"path":"\/etc/s,
        ) as never,
      },
    ],
    [
      true,
      {
        type: "text",
        text: expect.stringMatching(
          /^Validation failed for tool "echo":\n {2}- root: Arguments must be a JSON object/,
        ) as never,
      },
    ],
  ]);
  expect(s.ofType("tool_execution_start").map(({ args }) => args)).toEqual([{}, {}]);
});
