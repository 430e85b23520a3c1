import { expect, test } from "bun:test";
import type { NextStep, Outcome } from "../../src/types.ts";
import { user } from "../support/messages.ts";
import { words } from "../support/notation.ts";
import { quiet } from "../support/quiet.ts";
import { scenario } from "../support/scenario.ts";
import { makeTool } from "../support/tools.ts";

/** Answers from a list and records what it was asked. */
function scriptedNext(steps: readonly (NextStep | undefined)[]) {
  const asked: Outcome[] = [];
  return {
    asked,
    next: async (outcome: Outcome) => {
      asked.push(outcome);
      return steps[asked.length - 1];
    },
  };
}

test("next is asked after each turn with what happened and what would follow", async () => {
  const { asked, next } = scriptedNext([]);
  const s = scenario({
    answers: [[{ call: "echo" }], [{ text: "ok" }], [{ fail: "server" }]],
    tools: [makeTool("echo")],
    next,
  });
  await s.prompt("go");
  await s.prompt("again");
  expect(asked.map(({ state, failure }) => [state, failure?.kind])).toEqual([
    ["continues", undefined],
    ["stops", undefined],
    ["failed", "server"],
  ]);
  expect(asked.map(({ message, toolResults }) => [message, toolResults])).toEqual(
    s.ofType("turn_end").map(({ message, toolResults }) => [message, toolResults]),
  );
});

test("a waiting message means that the run continues", async () => {
  const { asked, next } = scriptedNext([]);
  const s = scenario({ answers: [[{ text: "ok" }], [{ text: "ok" }]], next });
  s.agent.queue.followUp(user("more"));
  await s.prompt("go");
  expect(asked.map(({ state }) => state)).toEqual(["continues", "stops"]);
});

test("retry calls the model again in the same run; the failed message leaves conversation and agent_end", async () => {
  const { next } = scriptedNext([{ kind: "retry" }, { kind: "retry" }, undefined]);
  const s = scenario({
    answers: [[{ text: "x" }, { fail: "overloaded" }], [{ fail: "overloaded" }], [{ text: "there" }]],
    next,
  });
  await s.prompt("go");
  expect(s.shortWords()).toEqual(
    words(`agent_start ts ms(U) me(U) ms(A) mu* me(A:error) te ts ms(A) me(A:error) te
      ts ms(A) mu* me(A:stop) te agent_end(stop)`),
  );
  expect(s.agent.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  expect(s.ofType("agent_end")[0]?.messages).toEqual([...s.agent.messages]);
});

test("retry also withdraws the synthetic results of the failed message", async () => {
  const { next } = scriptedNext([{ kind: "retry" }]);
  const s = scenario({
    answers: [[{ call: "echo" }, { fail: "server" }], [{ text: "there" }]],
    tools: [makeTool("echo")],
    next,
  });
  await s.prompt("go");
  expect(s.requests[1]?.context.messages).toEqual([user("go")]);
  expect(s.agent.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
});

test("a retry after delivered steering keeps the steering", async () => {
  const { next } = scriptedNext([undefined, { kind: "retry" }]);
  const s = scenario({ answers: [[{ text: "ok" }], [{ fail: "server" }], [{ text: "there" }]], next });
  s.agent.queue.followUp(user("more"));
  await s.prompt("go");
  expect(s.requests[2]?.context.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  expect(s.ofType("agent_end")[0]?.messages.map(({ role }) => role)).toEqual([
    "user",
    "assistant",
    "user",
    "assistant",
  ]);
});

test("the last failure of an exhausted retry stays", async () => {
  const { next } = scriptedNext([{ kind: "retry" }, undefined]);
  const s = scenario({ answers: [[{ fail: "server" }], [{ fail: "server", message: "second" }]], next });
  await s.prompt("go");
  expect(s.words().at(-1)).toBe("agent_end(error)");
  expect(s.ofType("agent_end")[0]?.messages).toMatchObject([{ role: "user" }, { errorMessage: "second" }]);
});

test("a turn step adds its messages in a further turn of the same run", async () => {
  const reminder = { role: "developer", content: "todos are open", timestamp: 9 } as const;
  const { next } = scriptedNext([{ kind: "turn", messages: [reminder] }]);
  const s = scenario({ answers: [[{ text: "done?" }], [{ text: "done" }]], next });
  await s.prompt("go");
  expect(s.shortWords()).toEqual(
    words(`agent_start ts ms(U) me(U) ms(A) mu* me(A:stop) te
      ts ms(developer) me(developer) ms(A) mu* me(A:stop) te agent_end(stop)`),
  );
});

test("a turn step after a failure keeps the failed message in the conversation", async () => {
  const { next } = scriptedNext([{ kind: "turn", messages: [user("try differently")] }]);
  const s = scenario({ answers: [[{ fail: "server" }], [{ text: "done" }]], next });
  await s.prompt("go");
  expect(s.ofType("agent_end")[0]?.messages.map(({ role }) => role)).toEqual([
    "user",
    "assistant",
    "user",
    "assistant",
  ]);
});

test("queued steering precedes the messages of a step", async () => {
  const reminder = {
    role: "custom",
    customType: "resolve-reminder",
    content: "resolve",
    display: false,
    timestamp: 9,
  } as const;
  const s = scenario({
    answers: [[{ call: "echo" }], [{ text: "done" }]],
    tools: [makeTool("echo")],
    next: async ({ state }) => {
      if (state !== "continues") return undefined;
      s.agent.queue.steer(user("discard it"));
      return { kind: "turn", messages: [reminder] };
    },
  });
  await s.prompt("go");
  expect(s.shortWords()).toEqual(
    words(`agent_start ts ms(U) me(U) ms(A) mu* me(A:toolUse) xs:call_1 xe:call_1 ms(T) me(T) te
      ts ms(U) me(U) ms(custom) me(custom) ms(A) mu* me(A:stop) te agent_end(stop)`),
  );
});

test("an abort waits for next to finish, so that its last events precede agent_end", async () => {
  const order: string[] = [];
  const s = scenario({
    answers: [[{ fail: "server" }]],
    next: async (_, signal) => {
      await s.clock.delay(2_000, signal);
      for (let step = 0; step < 20; step += 1) await null; // a policy may have to clean up
      order.push("auto_retry_end");
      return undefined;
    },
  });
  s.listen(({ type }) => order.push(type));
  const run = s.prompt("go");
  await s.seen("turn_end");
  await quiet();
  await s.agent.abort();
  await run;
  expect(order.slice(-3)).toEqual(["turn_end", "auto_retry_end", "agent_end"]);
  expect(s.words().at(-1)).toBe("agent_end(aborted)");
});

test("an abort does not wait forever for a next that ignores the signal", async () => {
  const s = scenario({ answers: [[{ text: "ok" }]], next: () => new Promise(() => {}) });
  const run = s.prompt("go");
  await s.seen("turn_end");
  await quiet();
  const aborted = s.agent.abort();
  await quiet();
  expect(s.agent.isRunning).toBe(true);
  s.clock.advance(5_000);
  await aborted;
  await run;
  expect(s.shortWords()).toEqual(words("agent_start ts ms(U) me(U) ms(A) mu* me(A:stop) te agent_end(aborted)"));
});

test("ignores what next answers after an abort", async () => {
  const s = scenario({
    answers: [[{ text: "ok" }]],
    next: async (_, signal) => {
      await s.clock.delay(1_000, signal);
      return { kind: "turn", messages: [user("go on")] };
    },
  });
  const run = s.prompt("go");
  await s.seen("turn_end");
  await quiet();
  await s.agent.abort();
  await run;
  expect(s.requests).toHaveLength(1);
  expect(s.words().at(-1)).toBe("agent_end(aborted)");
});

test("a next that throws because of the abort adds no error message", async () => {
  const s = scenario({
    answers: [[{ text: "ok" }]],
    next: (_, signal) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("aborted")))),
  });
  const run = s.prompt("go");
  await s.seen("turn_end");
  await quiet();
  await s.agent.abort();
  await run;
  expect(s.shortWords()).toEqual(words("agent_start ts ms(U) me(U) ms(A) mu* me(A:stop) te agent_end(aborted)"));
});

test("next is not asked about a turn that was aborted", async () => {
  let asked = 0;
  const s = scenario({
    answers: [[{ call: "echo" }]],
    tools: [makeTool("echo")],
    next: async () => {
      asked += 1;
      return undefined;
    },
  });
  s.listen(({ type }) => {
    if (type === "tool_execution_start") void s.agent.abort();
  });
  await s.prompt("go");
  expect(asked).toBe(0);
  expect(s.words().at(-1)).toBe("agent_end(aborted)");
});
