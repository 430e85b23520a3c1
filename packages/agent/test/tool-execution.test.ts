import { describe, expect, test } from "bun:test";
import { Type } from "typebox";
import type { LoopHooks, Tool, ToolResult } from "../src/types.ts";
import { words } from "./support/notation.ts";
import { quiet } from "./support/quiet.ts";
import { scenario } from "./support/scenario.ts";
import { GatedTool, makeTool, ok } from "./support/tools.ts";

/** One call of `tool`, run to its end. */
async function callOnce(tool: Tool, hooks: LoopHooks = {}, args: Record<string, unknown> = { a: 1 }) {
  const s = scenario({ answers: [[{ call: tool.name, args }], [{ text: "done" }]], tools: [tool], hooks });
  await s.prompt("go");
  const [end] = s.ofType("tool_execution_end");
  return { s, end, message: s.ofType("turn_end")[0]?.toolResults[0] };
}

const texts = (result: ToolResult | undefined) =>
  result?.content.map((block) => (block.type === "text" ? block.text : block.type));

describe("every outcome of a tool is a result that the model can read", () => {
  const rows: [what: string, execute: () => unknown, isError: boolean, text: string][] = [
    [
      "it throws at once",
      () => {
        throw new Error("at once");
      },
      true,
      "at once",
    ],
    [
      "it rejects",
      async () => {
        throw new Error("later");
      },
      true,
      "later",
    ],
    [
      "it throws something else",
      async () => {
        throw { code: 5 };
      },
      true,
      "[object Object]",
    ],
    [
      "it throws an AbortError of its own",
      async () => {
        throw new DOMException("inner", "AbortError");
      },
      true,
      "inner",
    ],
    ["it returns nothing", async () => undefined, true, "Tool returned a malformed result"],
    ["it returns without a promise", () => ok("at once"), false, "at once"],
    [
      "it returns what cannot be read",
      async () =>
        new Proxy(
          {},
          {
            get: (_, key) => {
              if (key === "then") return undefined;
              throw new Error("trap");
            },
          },
        ),
      true,
      "trap",
    ],
    ["it returns no content", async () => ({ content: [] }), false, "(no output)"],
    ["it fails without a word", async () => ({ content: [], isError: true }), true, "Tool failed with no output."],
    ["it says itself that it failed", async () => ({ ...ok("nope"), isError: true }), true, "nope"],
  ];
  for (const [what, execute, isError, text] of rows) {
    test(what, async () => {
      const { s, end, message } = await callOnce(makeTool("t", execute as never));
      expect([end?.isError, message?.isError, texts(end?.result)]).toEqual([isError, isError, [text]]);
      expect(message?.content).toEqual(end?.result.content as never);
      expect(s.words().at(-1)).toBe("agent_end(stop)");
    });
  }

  test("the result of a throwing tool has empty details", async () => {
    const { message } = await callOnce(
      makeTool("t", () => {
        throw new Error("x");
      }),
    );
    expect(message?.details).toEqual({});
  });
});

describe("the toolCall hook", () => {
  const never = makeTool("t", async () => {
    throw new Error("must not run");
  });
  const seesPath = makeTool("t", async (args) => ok(JSON.stringify(args)), {
    parameters: Type.Object({ n: Type.Number() }),
  });

  test("blocks with its reason, or with the default message", async () => {
    const named = await callOnce(never, { toolCall: async () => ({ block: true, reason: "not on Sundays" }) });
    expect([named.end?.isError, texts(named.end?.result)]).toEqual([true, ["not on Sundays"]]);
    const unnamed = await callOnce(never, { toolCall: async () => ({ block: true }) });
    expect(texts(unnamed.end?.result)).toEqual(["Tool execution was blocked"]);
  });

  test("gets the call as the model sent it, after its start was emitted and its message stored", async () => {
    const seen: unknown[] = [];
    const s = scenario({
      answers: [[{ call: "t", args: { n: "5" } }], [{ text: "done" }]],
      tools: [seesPath],
      hooks: {
        toolCall: async (call) => {
          seen.push([call.arguments, s.agent.messages.at(-1)?.role, s.events.at(-1)?.type]);
          return undefined;
        },
      },
    });
    await s.prompt("go");
    expect(seen).toEqual([[{ n: "5" }, "assistant", "tool_execution_start"]]);
    expect(texts(s.ofType("tool_execution_end")[0]?.result)).toEqual(['{"n":5}']);
  });

  test("replaces arguments for this execution only; the result states what ran", async () => {
    const { s, end } = await callOnce(seesPath, { toolCall: async () => ({ arguments: { n: "7" } }) }, { n: 5 });
    expect(end?.result).toEqual({ ...ok('{"n":7}'), details: { effectiveArguments: { n: 7 } } });
    expect(s.ofType("tool_execution_start")[0]?.args).toEqual({ n: 5 });
    expect(s.requests[1]?.context.messages[1]).toMatchObject({ content: [{ type: "toolCall", arguments: { n: 5 } }] });
  });

  test("replaced arguments join the details of the tool", async () => {
    const tool = makeTool("t", async () => ({ ...ok("x"), details: { lines: 3 } }));
    const { end } = await callOnce(tool, { toolCall: async () => ({ arguments: { b: 2 } }) });
    expect(end?.result.details).toEqual({ lines: 3, effectiveArguments: { b: 2 } });
  });

  test("replaced arguments are validated; if they are invalid, the tool does not run", async () => {
    const strict = { ...never, parameters: Type.Object({ n: Type.Number() }) };
    const { end } = await callOnce(strict, { toolCall: async () => ({ arguments: { n: "x" } }) }, { n: 1 });
    expect(end?.isError).toBe(true);
    expect(texts(end?.result)?.[0]).toStartWith('Validation failed for tool "t":\n  - n: must be number');
  });

  test("is not asked about unknown tools and bad arguments", async () => {
    let asked = 0;
    const hooks: LoopHooks = {
      toolCall: async () => {
        asked += 1;
        return undefined;
      },
    };
    const strict = { ...never, parameters: Type.Object({ n: Type.Number() }) };
    await callOnce(strict, hooks, { n: "x" });
    const s = scenario({ answers: [[{ call: "unknown" }], [{ text: "done" }]], hooks });
    await s.prompt("go");
    expect(asked).toBe(0);
  });

  test("a call that waits for it has not started: steering skips it", async () => {
    const gate = Promise.withResolvers<undefined>();
    const s = scenario({
      answers: [[{ call: "t" }], [{ text: "heard" }]],
      tools: [never],
      hooks: { toolCall: () => gate.promise },
      interruptMode: "immediate",
    });
    const run = s.prompt("go");
    await quiet();
    s.agent.queue.steer({ role: "user", content: "no", timestamp: 1 });
    gate.resolve(undefined);
    await run;
    expect(texts(s.ofType("tool_execution_end")[0]?.result)?.[0]).toStartWith("Skipped due to queued user message.");
  });
});

describe("the toolResult hook", () => {
  const tool = makeTool("t", async () => ({ ...ok("raw"), details: { a: 1 }, terminate: true }));
  const rows: [what: string, change: Partial<ToolResult> | undefined, result: unknown][] = [
    ["changes nothing without an answer", undefined, { ...ok("raw"), details: { a: 1 } }],
    ["replaces the content", { content: [{ type: "text", text: "clean" }] }, { ...ok("clean"), details: { a: 1 } }],
    ["replaces the details", { details: null }, { ...ok("raw"), details: null }],
    [
      "leaves alone what it names without a value",
      { content: undefined, details: undefined } as never,
      { ...ok("raw"), details: { a: 1 } },
    ],
    ["cannot empty a result", { content: [] }, { content: [{ type: "text", text: "(no output)" }], details: { a: 1 } }],
    [
      "cannot break a result",
      { content: "x" } as never,
      { content: [{ type: "text", text: "Tool returned a malformed result" }], details: {} },
    ],
  ];
  for (const [what, change, result] of rows) {
    test(what, async () => {
      const { end, message } = await callOnce(tool, { toolResult: async () => change });
      expect(end?.result).toEqual(result as never);
      expect(message?.content).toEqual(end?.result.content as never);
    });
  }

  test("can turn success into failure and failure into success", async () => {
    const { end } = await callOnce(tool, { toolResult: async () => ({ isError: true }) });
    expect(end?.isError).toBe(true);
    const failing = makeTool("t", async () => {
      throw new Error("x");
    });
    const rescued = await callOnce(failing, { toolResult: async () => ({ isError: false }) });
    expect(rescued.end?.isError).toBe(false);
  });
});

describe("progress", () => {
  test("replaces the previous one, contains call and arguments, and is dropped after the end", async () => {
    const tool = new GatedTool("t");
    const s = scenario({ answers: [[{ call: "t", args: { a: 1 } }], [{ text: "done" }]], tools: [tool.tool] });
    const run = s.prompt("go");
    await quiet();
    const { call, finish } = tool.at("call_1");
    call.update(ok("1"));
    call.update(ok("2"));
    finish();
    await run;
    call.update(ok("late"));
    expect(s.ofType("tool_execution_update")).toEqual([
      { type: "tool_execution_update", toolCallId: "call_1", toolName: "t", args: { a: 1 }, partialResult: ok("1") },
      { type: "tool_execution_update", toolCallId: "call_1", toolName: "t", args: { a: 1 }, partialResult: ok("2") },
    ]);
    expect(s.shortWords()).toEqual(
      words(`agent_start ts ms(U) me(U) ms(A) mu* me(A:toolUse) xs:call_1 xu:call_1 xu:call_1 xe:call_1 ms(T) me(T) te
        ts ms(A) mu* me(A:stop) te agent_end(stop)`),
    );
  });

  test("is dropped as soon as the tool has returned, even while its end is still queued", async () => {
    const tool = new GatedTool("t");
    const gate = Promise.withResolvers<undefined>();
    const s = scenario({
      answers: [[{ call: "t" }], [{ text: "done" }]],
      tools: [tool.tool],
      hooks: { messageEnd: async ({ role }) => (role === "toolResult" ? gate.promise : undefined) },
    });
    const run = s.prompt("go");
    await quiet();
    tool.at("call_1").finish();
    await quiet();
    tool.at("call_1").call.update(ok("late"));
    gate.resolve(undefined);
    await run;
    expect(s.ofType("tool_execution_update")).toEqual([]);
  });
});

describe("a tool owns what it gets", () => {
  const spoil = async (args: unknown) => {
    (args as { list: number[] }).list.push(99);
    return ok("spoiled");
  };
  const rows: [what: string, tool: Tool][] = [
    ["arguments", makeTool("t", spoil)],
    [
      "raw arguments of a lenient tool",
      makeTool("t", spoil, { lenientArgValidation: true, parameters: Type.Object({ x: Type.Number() }) }),
    ],
    [
      "arguments it prepares",
      makeTool("t", undefined, {
        prepareArguments: (args) => {
          (args.list as number[]).push(99);
          return args;
        },
      }),
    ],
  ];
  for (const [what, tool] of rows) {
    test(`${what} can be changed without changing history`, async () => {
      const { s } = await callOnce(tool, {}, { list: [1] });
      expect(s.agent.messages[1]).toMatchObject({ content: [{ type: "toolCall", arguments: { list: [1] } }] });
      expect(s.ofType("tool_execution_start")[0]?.args).toEqual({ list: [1] });
    });
  }
});

test("prepareArguments fixes known mistakes before validation; if it throws, the model gets an error", async () => {
  const mend = makeTool("t", async (args) => ok(JSON.stringify(args)), {
    parameters: Type.Object({ path: Type.String() }),
    prepareArguments: ({ file, ...rest }) => ({ ...rest, path: file }),
  });
  expect(texts((await callOnce(mend, {}, { file: "a" })).end?.result)).toEqual(['{"path":"a"}']);
  const broken = makeTool("t", undefined, {
    prepareArguments: () => {
      throw new Error("oh");
    },
  });
  expect(texts((await callOnce(broken)).end?.result)).toEqual(["Tool t cannot check its arguments: oh"]);
});

test("a schema that cannot be compiled is an error for the model, not for the run", async () => {
  const { end, s } = await callOnce(
    makeTool("t", undefined, { parameters: { type: "object", properties: { a: { pattern: "(" } } } as never }),
    {},
    { a: "x" },
  );
  expect(end?.isError).toBe(true);
  expect(s.words().at(-1)).toBe("agent_end(stop)");
});
