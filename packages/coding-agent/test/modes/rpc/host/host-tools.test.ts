import { describe, expect, test } from "bun:test";
import { HostToolBench, image, text } from "../../../support/modes/rpc/host-tool-calls.ts";

describe("a call", () => {
  test("is sent to the host and ends with its result", async () => {
    const bench = new HostToolBench();
    const call = bench.call(await bench.define("echo_host"), { message: "hello" }, "toolu_123");
    expect(await call.outcome()).toBe("running");
    expect(bench.pending.list()).toEqual([
      {
        kind: "host_tool",
        id: "host_1",
        since: 0,
        deadline: 600_000,
        default: 'the call fails: Host tool "echo_host" timed out after 600 seconds',
        toolName: "echo_host",
        toolCallId: "toolu_123",
      },
    ]);
    bench.tools.onResult({ id: "host_1", result: { content: [text("done")], details: { n: 1 } }, isError: false });
    expect(await call.outcome()).toEqual({ content: [text("done")], details: { n: 1 } });
    expect(bench.sent).toEqual([
      {
        type: "host_tool_call",
        id: "host_1",
        toolCallId: "toolu_123",
        toolName: "echo_host",
        arguments: { message: "hello" },
      },
    ]);
    expect({ timers: bench.timers.pendingCount, listeners: call.run.listenerCount }).toEqual({
      timers: 0,
      listeners: 0,
    });
  });

  test("forwards updates unchanged, and none after the result", async () => {
    const bench = new HostToolBench();
    const call = bench.call(await bench.define("slow"));
    const first = { content: [text("working")], details: { percent: 10 }, note: "the host's own" };
    bench.tools.onUpdate({ id: "host_1", partialResult: first });
    bench.tools.onUpdate({ id: "host_1", partialResult: { content: [] } });
    bench.tools.onResult({ id: "host_1", result: { content: [] } });
    bench.tools.onUpdate({ id: "host_1", partialResult: { content: [text("late")] } });
    expect(call.updates).toEqual([first, { content: [] }] as never);
    expect(call.updates[0]).toBe(first);
  });

  test("ignores malformed updates, and does not extend its deadline for them", async () => {
    const bench = new HostToolBench();
    const call = bench.call(await bench.define("slow", { timeoutMs: 1000 }));
    bench.timers.advance(900);
    const malformed = [
      undefined,
      null,
      "text",
      { content: "text" },
      { content: [{ type: "text" }] },
      { content: [null] },
    ];
    for (const partialResult of malformed) bench.tools.onUpdate({ id: "host_1", partialResult });
    bench.tools.onUpdate({ id: "nobody", partialResult: undefined });
    expect(call.updates).toEqual([]);
    bench.timers.advance(100);
    expect(await call.outcome()).toBe('Host tool "slow" timed out after 1 seconds');
  });

  test("concurrent calls have their own ids and accept answers in any order", async () => {
    const bench = new HostToolBench();
    const tool = await bench.define("echo");
    const [one, two] = [bench.call(tool, {}, "t1"), bench.call(tool, {}, "t2")];
    bench.tools.onResult({ id: "host_2", result: { content: [text("two")] } });
    expect(await two.outcome()).toEqual({ content: [text("two")] });
    expect(await one.outcome()).toBe("running");
    bench.tools.onResult({ id: "host_1", result: { content: [text("one")] } });
    expect(await one.outcome()).toEqual({ content: [text("one")] });
  });
});

describe("a failed result", () => {
  test("keeps its content and details", async () => {
    const bench = new HostToolBench();
    const call = bench.call(await bench.define("shot"));
    const result = { content: [text("no screen"), image], details: { code: 7 } };
    bench.tools.onResult({ id: "host_1", result, isError: true });
    expect(await call.outcome()).toEqual({ ...result, isError: true });
  });

  test("has a default text when it contains none", async () => {
    const bench = new HostToolBench();
    const tool = await bench.define("shot");
    const outcomes = [];
    for (const content of [[], [image], [text(" ")]]) {
      const call = bench.call(tool);
      bench.tools.onResult({ id: bench.pending.list()[0]!.id, result: { content, details: 1 }, isError: true });
      outcomes.push(await call.outcome());
    }
    const failed = text("Host tool execution failed");
    expect(outcomes).toEqual([
      { content: [failed], details: 1, isError: true },
      { content: [image, failed], details: 1, isError: true },
      { content: [text(" "), failed], details: 1, isError: true },
    ]);
  });

  test("requires isError to be exactly true", async () => {
    const bench = new HostToolBench();
    const tool = await bench.define("odd");
    for (const isError of [false, null, undefined, "true", 1]) {
      const call = bench.call(tool);
      bench.tools.onResult({ id: bench.pending.list()[0]!.id, result: { content: [text("fine")] }, isError });
      expect(await call.outcome()).toEqual({ content: [text("fine")] });
    }
  });
});

test("an invalid result ends the call with an error", async () => {
  const bench = new HostToolBench();
  const tool = await bench.define("broken");
  const invalid = [undefined, null, "done", [], {}, { content: "done" }, { content: [{ type: "video" }] }];
  for (const result of invalid) {
    const call = bench.call(tool);
    bench.tools.onResult({ id: bench.pending.list()[0]!.id, result });
    expect(await call.outcome()).toBe('Host tool "broken" returned an invalid result');
  }
  expect(bench.sent.map(({ type }) => type)).toEqual(invalid.map(() => "host_tool_call"));
});

test("ignores results with an unknown, finished or missing id", async () => {
  const bench = new HostToolBench();
  const call = bench.call(await bench.define("echo"));
  for (const id of ["host_2", "host_cancel_1", "toolu_1", undefined, null, 1, {}]) {
    bench.tools.onResult({ id, result: { content: [] } });
  }
  expect(await call.outcome()).toBe("running");
  bench.tools.onResult({ id: "host_1", result: { content: [text("first")] } });
  bench.tools.onResult({ id: "host_1", result: { content: [text("second")] } });
  expect(await call.outcome()).toEqual({ content: [text("first")] });
});

describe("cancelling a call", () => {
  test("an abort cancels the call once and fails it immediately; a late result is ignored", async () => {
    const bench = new HostToolBench();
    const call = bench.call(await bench.define("slow"));
    call.run.abort();
    expect(await call.outcome()).toBe('Host tool "slow" was aborted');
    bench.tools.onResult({ id: "host_1", result: { content: [text("late")] } });
    bench.timers.advance(1_000_000);
    bench.pending.hostGone();
    expect(await call.outcome()).toBe('Host tool "slow" was aborted');
    expect(bench.sent.slice(1)).toEqual([{ type: "host_tool_cancel", id: "host_cancel_1", targetId: "host_1" }]);
    expect({ timers: bench.timers.pendingCount, listeners: call.run.listenerCount }).toEqual({
      timers: 0,
      listeners: 0,
    });
  });

  test("a call aborted before it was sent is never sent", async () => {
    const bench = new HostToolBench();
    const tool = await bench.define("slow");
    const aborted = AbortSignal.abort();
    const call = { id: "t1", signal: aborted, steeringSignal: aborted, update() {}, batch: {} as never };
    expect(await tool.execute({} as never, call).catch((error: Error) => error.message)).toBe(
      'Host tool "slow" was aborted',
    );
    expect(bench.sent).toEqual([]);
  });

  test("a silent host reaches the deadline and the call is cancelled; an update restarts the timeout", async () => {
    const bench = new HostToolBench();
    const call = bench.call(await bench.define("slow"));
    bench.timers.advance(599_999);
    bench.tools.onUpdate({ id: "host_1", partialResult: { content: [] } });
    bench.timers.advance(599_999);
    expect(await call.outcome()).toBe("running");
    bench.timers.advance(1);
    expect(await call.outcome()).toBe('Host tool "slow" timed out after 600 seconds');
    expect(bench.sent.slice(1)).toEqual([{ type: "host_tool_cancel", id: "host_cancel_1", targetId: "host_1" }]);
  });

  test("a tool's own limit overrides the setting", async () => {
    const bench = new HostToolBench();
    const call = bench.call(await bench.define("quick", { timeoutMs: 1500 }));
    bench.timers.advance(1500);
    expect(await call.outcome()).toBe('Host tool "quick" timed out after 1.5 seconds');
  });

  test("calls fail without a cancel when the host has disconnected, and later ones are not sent", async () => {
    const bench = new HostToolBench();
    const tool = await bench.define("echo");
    const [one, two] = [bench.call(tool, {}, "t1"), bench.call(tool, {}, "t2")];
    bench.pending.hostGone();
    const late = bench.call(tool, {}, "t3");
    const gone = "RPC client disconnected before host tool execution completed";
    expect([await one.outcome(), await two.outcome(), await late.outcome()]).toEqual([gone, gone, gone]);
    expect(bench.sent.map(({ type }) => type)).toEqual(["host_tool_call", "host_tool_call"]);
  });
});

describe("the set of tools", () => {
  test("contains ordinary tools that run in parallel, ignore steering and may be repeated", async () => {
    const bench = new HostToolBench();
    const parameters = { type: "object" };
    const [tool] = await bench.tools.define(
      [{ name: " Mixed_Case ", label: null, description: " Says. ", parameters, hidden: true }],
      () => false,
    );
    expect(tool).toEqual({
      isHidden: true,
      tool: {
        name: "Mixed_Case",
        label: "Mixed_Case",
        description: "Says.",
        parameters,
        concurrency: "shared",
        execute: expect.any(Function),
      },
    });
  });

  test("replacing it does not affect calls in flight", async () => {
    const bench = new HostToolBench();
    const call = bench.call(await bench.define("old"));
    await bench.define("new");
    await bench.tools.define([], () => false);
    bench.tools.onUpdate({ id: "host_1", partialResult: { content: [text("on my way")] } });
    bench.tools.onResult({ id: "host_1", result: { content: [text("done")] } });
    expect(call.updates).toEqual([{ content: [text("on my way")] }]);
    expect(await call.outcome()).toEqual({ content: [text("done")] });
    expect(["old", "new", "bash"].map((name) => bench.tools.isHostTool(name))).toEqual([true, true, false]);
  });

  test("a rejected list registers no tool", async () => {
    const bench = new HostToolBench();
    await expect(bench.define("bad", { parameters: { type: "objct" } })).rejects.toThrow("unknown type");
    expect(bench.tools.isHostTool("bad")).toBe(false);
  });
});
