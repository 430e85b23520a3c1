import { expect, test } from "bun:test";
import { words } from "../support/notation.ts";
import { quiet } from "../support/quiet.ts";
import { scenario } from "../support/scenario.ts";
import { GatedTool, makeTool, ok } from "../support/tools.ts";

const NEVER = new Promise<never>(() => {});
const NOT_STARTED = {
  content: [{ type: "text", text: "Tool execution was aborted: Request was aborted" }],
  details: { __synthetic: true, executed: false, source: "aborted" },
};

test("while tools run, finished results are kept and no further model call is made", async () => {
  const slow = new GatedTool("slow");
  const polite = makeTool(
    "polite",
    (_, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  );
  const quick = makeTool("quick");
  const alone = makeTool("alone", undefined, { concurrency: "exclusive" });
  const s = scenario({
    answers: [[{ call: "quick" }, { call: "slow" }, { call: "polite" }, { call: "alone" }]],
    tools: [slow.tool, polite, quick, alone],
  });
  const run = s.prompt("go");
  await s.seen("message_end");
  await quiet();
  const aborted = s.agent.abort();
  slow.at("call_2").finish(ok("finished all the same"));
  await aborted;
  await run;
  expect(s.shortWords()).toEqual(
    words(`agent_start ts ms(U) me(U) ms(A) mu* me(A:toolUse) xs:call_1 xs:call_2 xs:call_3
      xe:call_1 ms(T) me(T) xe:call_3! ms(T) me(T) xe:call_2 ms(T) me(T) xs:call_4 xe:call_4! ms(T) me(T)
      te agent_end(aborted)`),
  );
  expect(s.ofType("turn_end")[0]?.toolResults).toMatchObject([
    { toolCallId: "call_1", content: [{ text: "quick done" }] },
    { toolCallId: "call_2", content: [{ text: "finished all the same" }], isError: false },
    {
      toolCallId: "call_3",
      content: [{ text: "Tool execution was aborted" }],
      isError: true,
      details: { __synthetic: true, executed: true, source: "aborted" },
    },
    { toolCallId: "call_4", ...NOT_STARTED },
  ]);
  expect(s.requests).toHaveLength(1);
});

test("a tool that ignores its signal is abandoned after the grace period, its late output is dropped", async () => {
  const deaf = new GatedTool("deaf");
  const s = scenario({ answers: [[{ call: "deaf" }], [{ text: "next run" }]], tools: [deaf.tool] });
  const run = s.prompt("go");
  await s.seen("tool_execution_start");
  await quiet();
  const aborted = s.agent.abort();
  await quiet();
  s.clock.advance(4_999);
  await quiet();
  expect(s.agent.isRunning).toBe(true);
  s.clock.advance(1);
  await aborted;
  await run;
  expect(s.ofType("turn_end")[0]?.toolResults).toMatchObject([
    { content: [{ text: "Tool execution was aborted (tool did not stop)" }], isError: true },
  ]);
  const count = s.events.length;
  deaf.at("call_1").call.update(ok("still here"));
  deaf.at("call_1").finish(ok("late"));
  await quiet();
  expect(s.events).toHaveLength(count);
  await s.prompt("again");
  expect(s.words().at(-1)).toBe("agent_end(stop)");
  expect(s.clock.sleeperCount).toBe(0);
});

test("hooks that never answer cannot block an abort: they get one second more than tools, all of them together", async () => {
  const deaf = new GatedTool("deaf");
  let isHanging = false;
  const s = scenario({
    answers: [[{ call: "deaf" }, { call: "deaf" }]],
    tools: [deaf.tool],
    hooks: { messageEnd: async () => (isHanging ? NEVER : undefined) },
  });
  const run = s.prompt("go");
  await quiet();
  isHanging = true;
  const aborted = s.agent.abort();
  await quiet();
  s.clock.advance(5_000);
  await quiet();
  expect(s.agent.isRunning).toBe(true);
  s.clock.advance(1_000);
  await aborted;
  await run;
  expect(s.words().at(-1)).toBe("agent_end(aborted)");
  expect(s.ofType("turn_end")[0]?.toolResults).toHaveLength(2);
});

test("the grace period is read at the abort, and a tool that stops does not wait for it", async () => {
  const slow = new GatedTool("slow");
  const s = scenario({ answers: [[{ call: "slow" }]], tools: [slow.tool], limits: { abortGraceMs: 50 } });
  const run = s.prompt("go");
  await s.seen("tool_execution_start");
  s.limits.abortGraceMs = 10;
  const aborted = s.agent.abort();
  await quiet();
  s.clock.advance(10);
  await aborted;
  await run;
  expect(s.clock.sleeperCount).toBe(0);
});

test("a nonAbortable tool gets a signal that never fires, and still cannot hold the abort", async () => {
  const stubborn = new GatedTool("stubborn", { nonAbortable: true });
  const s = scenario({ answers: [[{ call: "stubborn" }]], tools: [stubborn.tool] });
  const run = s.prompt("go");
  await s.seen("tool_execution_start");
  await quiet();
  const aborted = s.agent.abort();
  await quiet();
  expect(stubborn.at("call_1").call.signal.aborted).toBe(false);
  s.clock.advance(5_000);
  await aborted;
  await run;
  expect(s.words().at(-1)).toBe("agent_end(aborted)");
});

test("a tool may throw its own message when it is stopped", async () => {
  const host = makeTool(
    "host",
    (_, { signal }) =>
      new Promise((_, reject) =>
        signal.addEventListener("abort", () => reject(new Error('Host tool "host" was aborted'))),
      ),
  );
  const s = scenario({ answers: [[{ call: "host" }]], tools: [host] });
  const run = s.prompt("go");
  await s.seen("tool_execution_start");
  await quiet();
  await s.agent.abort();
  await run;
  expect(s.ofType("turn_end")[0]?.toolResults).toMatchObject([
    { content: [{ text: 'Host tool "host" was aborted' }], isError: true },
  ]);
});

test("a finished result survives an abort that comes while its hook runs", async () => {
  const s = scenario({
    answers: [[{ call: "write" }]],
    tools: [makeTool("write", async () => ok("written"))],
    hooks: { toolResult: () => NEVER },
  });
  const run = s.prompt("go");
  await s.seen("tool_execution_start");
  await quiet();
  const aborted = s.agent.abort();
  await quiet();
  s.clock.advance(5_000);
  await aborted;
  await run;
  expect(s.ofType("turn_end")[0]?.toolResults).toMatchObject([{ content: [{ text: "written" }], isError: false }]);
});

test("a call whose tool_call hook never answers does not run after the abort, and its result says so", async () => {
  let decide = () => {};
  let isRun = false;
  const s = scenario({
    answers: [[{ call: "echo" }]],
    tools: [
      makeTool("echo", async () => {
        isRun = true;
        return ok("ran");
      }),
    ],
    hooks: {
      toolCall: () =>
        new Promise((resolve) => {
          decide = () => resolve(undefined);
        }),
    },
  });
  const run = s.prompt("go");
  await s.seen("tool_execution_start");
  await quiet();
  const aborted = s.agent.abort();
  await quiet();
  s.clock.advance(5_000);
  await aborted;
  await run;
  decide();
  await quiet();
  expect(isRun).toBe(false);
  expect(s.ofType("tool_execution_end")[0]).toMatchObject({ isError: true, result: NOT_STARTED });
});

test("an abort between the end of an answer and its calls starts none of them", async () => {
  const s = scenario({ answers: [[{ call: "echo" }]], tools: [makeTool("echo")] });
  s.listen((event) => {
    if (event.type === "message_end" && event.message.role === "assistant") void s.agent.abort();
  });
  await s.prompt("go");
  expect(s.shortWords()).toEqual(
    words("agent_start ts ms(U) me(U) ms(A) mu* me(A:toolUse) xs:call_1 xe:call_1! ms(T) me(T) te agent_end(aborted)"),
  );
  expect(s.ofType("tool_execution_end")[0]?.result).toMatchObject(NOT_STARTED);
});

test("a conversation that was aborted while a tool ran contains a note to check the state", async () => {
  const deaf = new GatedTool("deaf");
  const s = scenario({ answers: [[{ call: "deaf" }], [{ text: "ok" }]], tools: [deaf.tool] });
  const run = s.prompt("go");
  await s.seen("tool_execution_start");
  await quiet();
  const aborted = s.agent.abort();
  await quiet();
  s.clock.advance(5_000);
  await aborted;
  await run;
  await s.prompt("again");
  expect(s.requests[1]?.context.messages.map(({ role }) => role)).toEqual([
    "user",
    "assistant",
    "toolResult",
    "developer",
    "user",
  ]);
});
