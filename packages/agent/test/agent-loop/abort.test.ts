import { expect, test } from "bun:test";
import { AssistantEventStream } from "@pintle/ai";
import type { AgentEvent } from "../../src/events.ts";
import { user } from "../support/messages.ts";
import { words } from "../support/notation.ts";
import { quiet } from "../support/quiet.ts";
import { scenario } from "../support/scenario.ts";
import { GatedTool, makeTool, ok } from "../support/tools.ts";

const NEVER = new Promise<never>(() => {});
const NOT_STARTED = {
  content: [{ type: "text", text: "Tool execution was aborted: Request was aborted" }],
  details: { __synthetic: true, executed: false, source: "aborted" },
};

test("C: while text streams, the partial message is kept and marked", async () => {
  const s = scenario({ answers: [[{ text: "so far" }, { wait: NEVER }]] });
  const run = s.prompt("go");
  await s.seen("message_update");
  await quiet();
  await s.agent.abort();
  await run;
  expect(s.shortWords()).toEqual(words("agent_start ts ms(U) me(U) ms(A) mu* me(A:aborted) te agent_end(aborted)"));
  expect(s.agent.messages.at(-1)).toMatchObject({
    content: [{ type: "text", text: "so far" }],
    stopReason: "aborted",
    errorMessage: "Request was aborted",
  });
});

test("C: while text streams, calls that were complete get a result that says they never ran", async () => {
  const s = scenario({ answers: [[{ call: "echo" }, { text: "and" }, { wait: NEVER }]], tools: [makeTool("echo")] });
  const run = s.prompt("go");
  await quiet();
  await s.agent.abort();
  await run;
  expect(s.shortWords()).toEqual(
    words("agent_start ts ms(U) me(U) ms(A) mu* me(A:aborted) xs:call_1 xe:call_1! ms(T) me(T) te agent_end(aborted)"),
  );
  expect(s.ofType("tool_execution_end")[0]).toMatchObject({ isError: true, result: NOT_STARTED });
});

test("C: before the first model byte, the message is empty", async () => {
  const s = scenario({ answers: [[{ wait: NEVER }]] });
  const run = s.prompt("go");
  await quiet();
  await s.agent.abort();
  await run;
  expect(s.words()).toEqual(words("agent_start ts ms(U) me(U) ms(A) me(A:aborted) te agent_end(aborted)"));
  expect(s.agent.messages.at(-1)).toMatchObject({ content: [], errorMessage: "Request was aborted" });
});

test("C: while the setup is looked up, no model call is made", async () => {
  const s = scenario({ setup: () => NEVER });
  const run = s.prompt("go");
  await quiet();
  await s.agent.abort();
  await run;
  expect(s.words()).toEqual(words("agent_start ts ms(U) me(U) ms(A) me(A:aborted) te agent_end(aborted)"));
  expect(s.requests).toEqual([]);
});

test("C: while a context hook hangs, no model call is made", async () => {
  const s = scenario({ hooks: { context: () => NEVER } });
  const run = s.prompt("go");
  await quiet();
  await s.agent.abort();
  await run;
  expect(s.words()).toEqual(words("agent_start ts ms(U) me(U) ms(A) me(A:aborted) te agent_end(aborted)"));
  expect(s.requests).toEqual([]);
});

test("C: while tools run, results in hand are kept and no further model call is made (traps 17, 41)", async () => {
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

test("trap 35: a tool that ignores its signal is left behind after the grace period, its late output is dropped", async () => {
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

test("the time of grace is read when the abort comes, and a tool that stops does not wait for it", async () => {
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

test("a tool that throws its own words when it is stopped is heard", async () => {
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

test("a result in hand survives an abort that comes while its hook is asked", async () => {
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

test("a call whose tool_call hook never answers is not run after the abort, and its result says so", async () => {
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

test("a provider that ignores the signal does not hold the abort", async () => {
  const s = scenario({ stream: () => new AssistantEventStream() });
  const run = s.prompt("go");
  await quiet();
  await s.agent.abort();
  await run;
  expect(s.words()).toEqual(words("agent_start ts ms(U) me(U) ms(A) me(A:aborted) te agent_end(aborted)"));
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

test("trap 37: no model call starts after an abort, at whichever event it comes", async () => {
  const count = await countEvents();
  for (let at = 0; at < count; at += 1) {
    const s = threeTurns();
    let index = 0;
    let requestsAtAbort = -1;
    s.listen(() => {
      if (index === at && s.agent.isRunning) {
        void s.agent.abort();
        requestsAtAbort = s.requests.length;
      }
      index += 1;
    });
    await s.prompt("go");
    expect(s.words().at(-1)).toBe(at === count - 1 ? "agent_end(stop)" : "agent_end(aborted)");
    if (requestsAtAbort >= 0) expect(s.requests).toHaveLength(requestsAtAbort);
  }
});

test("trap 5: no waiting message is delivered into a run that was aborted, at whichever event the abort comes", async () => {
  const count = await countEvents();
  for (let at = 0; at < count; at += 1) {
    const s = threeTurns();
    let index = 0;
    let abortedAt = Number.POSITIVE_INFINITY;
    const isUser = (event: AgentEvent) => event.type === "message_start" && event.message.role === "user";
    s.listen(() => {
      if (index === at && s.agent.isRunning) {
        abortedAt = index;
        void s.agent.abort();
      }
      index += 1;
    });
    await s.prompt("go");
    const late = s.events.filter((event, place) => place > abortedAt && isUser(event));
    const ownPrompt = abortedAt < 2 ? 1 : 0;
    expect(late).toHaveLength(ownPrompt);
    const delivered = s.events.filter(isUser).length - 1;
    expect(delivered + s.agent.queue.count).toBe(2);
  }
});

function threeTurns() {
  const s = scenario({
    answers: [[{ call: "echo" }], [{ text: "two" }], [{ text: "three" }]],
    tools: [makeTool("echo")],
  });
  s.agent.queue.steer(user("steer"));
  s.agent.queue.followUp(user("follow"));
  return s;
}

async function countEvents(): Promise<number> {
  const s = threeTurns();
  await s.prompt("go");
  return s.events.length;
}

test("trap 5: with mode all, messages not yet announced when the abort comes go back to the head of their queue", async () => {
  let release = () => {};
  const s = scenario({
    answers: [[{ text: "one" }]],
    hooks: {
      messageEnd: (message) =>
        message.role === "user" && message.content === "first"
          ? new Promise((resolve) => {
              release = () => resolve(undefined);
            })
          : Promise.resolve(undefined),
    },
  });
  s.agent.queue.steeringMode = "all";
  for (const text of ["first", "second", "third"]) s.agent.queue.steer(user(text));
  const run = s.prompt("go");
  await quiet();
  const aborted = s.agent.abort();
  s.agent.queue.steer(user("fourth"));
  release();
  await aborted;
  await run;
  expect(s.words()).toEqual(words("agent_start ts ms(U) me(U) ms(A) me(A:aborted) te agent_end(aborted)"));
  expect(s.agent.queue.texts("steering")).toEqual(["first", "second", "third", "fourth"]);
});

test("messages of a step that were not announced when the abort comes are dropped", async () => {
  const s = scenario({
    answers: [[{ text: "one" }]],
    next: async () => ({ kind: "turn", messages: [user("reminder")] }),
  });
  s.listen((event) => {
    if (event.type === "turn_start" && s.requests.length === 1) void s.agent.abort();
  });
  await s.prompt("go");
  expect(s.shortWords()).toEqual(
    words("agent_start ts ms(U) me(U) ms(A) mu* me(A:stop) te ts ms(A) me(A:aborted) te agent_end(aborted)"),
  );
});

test("the prompt's own messages are kept whenever the abort comes after agent_start", async () => {
  const s = scenario();
  s.listen(({ type }) => {
    if (type === "agent_start") void s.agent.abort();
  });
  await s.agent.prompt([user("one"), user("two")]);
  expect(s.words()).toEqual(words("agent_start ts ms(U) me(U) ms(U) me(U) ms(A) me(A:aborted) te agent_end(aborted)"));
  expect(s.requests).toEqual([]);
});

test("an abort while the reader is slow does not wait for the reader", async () => {
  const s = scenario({ answers: [[{ text: "abc", chunk: 1 }, { wait: NEVER }]], ready: () => NEVER });
  const run = s.prompt("go");
  await s.seen("message_start");
  await quiet();
  await s.agent.abort();
  await run;
  expect(s.words().at(-1)).toBe("agent_end(aborted)");
});

test("the model stream is not read on while the reader of the events is not ready", async () => {
  let release = () => {};
  let isBlocked = true;
  const s = scenario({
    answers: [[{ text: "abc", chunk: 1 }]],
    ready: () =>
      isBlocked
        ? new Promise((resolve) => {
            release = resolve;
          })
        : undefined,
  });
  const run = s.prompt("go");
  await quiet();
  const count = s.events.length;
  await quiet();
  expect(s.events).toHaveLength(count);
  isBlocked = false;
  release();
  await run;
  expect(s.words().at(-1)).toBe("agent_end(stop)");
});

test("a conversation that was aborted while a tool ran carries a note to check the state", async () => {
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
