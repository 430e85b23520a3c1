import { expect, test } from "bun:test";
import { user } from "../support/messages.ts";
import { words } from "../support/notation.ts";
import { quiet } from "../support/quiet.ts";
import { scenario } from "../support/scenario.ts";
import { GatedTool, makeTool, ok } from "../support/tools.ts";

const SKIPPED = expect.stringMatching(/^Skipped due to queued user message\. .*repeat/) as never;

test("with interrupt mode wait, all calls complete and the message arrives with the next turn", async () => {
  const one = new GatedTool("one", { concurrency: "exclusive" });
  const s = scenario({
    answers: [[{ call: "one" }, { call: "one" }, { call: "one" }], [{ text: "heard" }]],
    tools: [one.tool],
  });
  const run = s.prompt("go");
  await s.seen("tool_execution_start");
  await quiet();
  s.agent.queue.steer(user("stop that"));
  for (const id of ["call_1", "call_2", "call_3"]) {
    one.at(id).finish();
    await quiet();
  }
  await run;
  expect(s.shortWords()).toEqual(
    words(`agent_start ts ms(U) me(U) ms(A) mu* me(A:toolUse)
      xs:call_1 xe:call_1 ms(T) me(T) xs:call_2 xe:call_2 ms(T) me(T) xs:call_3 xe:call_3 ms(T) me(T) te
      ts ms(U) me(U) ms(A) mu* me(A:stop) te agent_end(stop)`),
  );
});

test("with interrupt mode immediate, calls not yet started are skipped and the running one keeps its result", async () => {
  const one = new GatedTool("one", { concurrency: "exclusive" });
  const s = scenario({
    answers: [[{ call: "one" }, { call: "one" }, { call: "one" }], [{ text: "heard" }]],
    tools: [one.tool],
    interruptMode: "immediate",
  });
  const run = s.prompt("go");
  await s.seen("tool_execution_start");
  await quiet();
  s.agent.queue.steer(user("stop that"));
  expect(one.at("call_1").call.steeringSignal.aborted).toBe(true);
  expect(one.at("call_1").call.signal.aborted).toBe(false);
  expect(s.agent.queue.count).toBe(1); // inspected, not taken
  one.at("call_1").finish(ok("done"));
  await run;
  expect(one.started).toEqual(["call_1"]);
  expect(s.shortWords()).toEqual(
    words(`agent_start ts ms(U) me(U) ms(A) mu* me(A:toolUse) xs:call_1 xe:call_1 ms(T) me(T)
      xs:call_2 xe:call_2! ms(T) me(T) xs:call_3 xe:call_3! ms(T) me(T) te
      ts ms(U) me(U) ms(A) mu* me(A:stop) te agent_end(stop)`),
  );
  expect(s.ofType("turn_end")[0]?.toolResults).toMatchObject([
    { isError: false, content: [{ text: "done" }] },
    { isError: true, content: [{ text: SKIPPED }] },
    { isError: true, content: [{ text: SKIPPED }] },
  ]);
});

test("an interruptible call is ended early, other running calls are only notified", async () => {
  const wait = makeTool(
    "wait",
    (_, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    { interruptible: true },
  );
  const work = new GatedTool("work");
  const s = scenario({
    answers: [[{ call: "wait" }, { call: "work" }], [{ text: "heard" }]],
    tools: [wait, work.tool],
    interruptMode: "immediate",
  });
  const run = s.prompt("go");
  await s.seen("tool_execution_start");
  await quiet();
  s.agent.queue.steer(user("hurry"));
  await quiet();
  work.at("call_2").finish();
  await run;
  expect(s.shortWords()).toEqual(
    words(`agent_start ts ms(U) me(U) ms(A) mu* me(A:toolUse) xs:call_1 xs:call_2
      xe:call_1! ms(T) me(T) xe:call_2 ms(T) me(T) te ts ms(U) me(U) ms(A) mu* me(A:stop) te agent_end(stop)`),
  );
  expect(s.ofType("turn_end")[0]?.toolResults[0]).toMatchObject({ content: [{ text: "Tool execution was aborted" }] });
  // A wait has no partial effects, and the turn was not aborted: no note to check the state.
  expect(s.requests[1]?.context.messages.map(({ role }) => role)).toEqual([
    "user",
    "assistant",
    "toolResult",
    "toolResult",
    "user",
  ]);
});

test("a message that waits when the calls would start is seen before any of them starts", async () => {
  const one = new GatedTool("one");
  const s = scenario({
    answers: [[{ call: "one" }], [{ text: "heard" }]],
    tools: [one.tool],
    interruptMode: "immediate",
  });
  s.listen((event) => {
    if (event.type === "message_end" && event.message.role === "assistant" && s.requests.length === 1) {
      s.agent.queue.steer(user("no"));
    }
  });
  await s.prompt("go");
  expect(one.started).toEqual([]);
  expect(s.shortWords()).toEqual(
    words(`agent_start ts ms(U) me(U) ms(A) mu* me(A:toolUse) xs:call_1 xe:call_1! ms(T) me(T) te
      ts ms(U) me(U) ms(A) mu* me(A:stop) te agent_end(stop)`),
  );
});

test("a change of the interrupt mode applies from the next check, in the same batch", async () => {
  const one = new GatedTool("one", { concurrency: "exclusive" });
  const s = scenario({ answers: [[{ call: "one" }, { call: "one" }], [{ text: "heard" }]], tools: [one.tool] });
  const run = s.prompt("go");
  await s.seen("tool_execution_start");
  await quiet();
  s.agent.queue.steer(user("stop that"));
  s.live.interruptMode = "immediate";
  one.at("call_1").finish();
  await run;
  expect(one.started).toEqual(["call_1"]);
});

test("follow-ups do not interrupt", async () => {
  const one = new GatedTool("one", { concurrency: "exclusive" });
  const s = scenario({
    answers: [[{ call: "one" }, { call: "one" }], [{ text: "a" }], [{ text: "b" }]],
    tools: [one.tool],
    interruptMode: "immediate",
  });
  const run = s.prompt("go");
  await s.seen("tool_execution_start");
  await quiet();
  s.agent.queue.followUp(user("later"));
  one.at("call_1").finish();
  await quiet();
  one.at("call_2").finish();
  await run;
  expect(one.started).toEqual(["call_1", "call_2"]);
});

for (const interruptMode of ["wait", "immediate"] as const) {
  test(`with interrupt mode ${interruptMode}, a text stream is not interrupted`, async () => {
    const gate = Promise.withResolvers<void>();
    const s = scenario({
      answers: [[{ text: "one " }, { wait: gate.promise }, { text: "two" }], [{ text: "heard" }]],
      interruptMode,
    });
    const run = s.prompt("go");
    await quiet();
    s.agent.queue.steer(user("psst"));
    await quiet();
    gate.resolve();
    await run;
    expect(s.shortWords()).toEqual(
      words(`agent_start ts ms(U) me(U) ms(A) mu* me(A:stop) te
        ts ms(U) me(U) ms(A) mu* me(A:stop) te agent_end(stop)`),
    );
  });
}

test("two steering messages: one-at-a-time delivers one per turn", async () => {
  const s = scenario({ answers: [[{ text: "a" }], [{ text: "b" }], [{ text: "c" }]] });
  s.listen(({ type }) => {
    if (type === "turn_end" && s.requests.length === 1) {
      s.agent.queue.steer(user("one"));
      s.agent.queue.steer(user("two"));
    }
  });
  await s.prompt("go");
  const turn = "ts ms(U) me(U) ms(A) mu* me(A:stop) te";
  expect(s.shortWords()).toEqual(words(`agent_start ${turn} ${turn} ${turn} agent_end(stop)`));
});

test("two steering messages: all delivers both in one turn, each as its own message", async () => {
  const s = scenario({ answers: [[{ text: "a" }], [{ text: "b" }]] });
  s.agent.queue.steeringMode = "all";
  s.listen(({ type }) => {
    if (type === "turn_end" && s.requests.length === 1) {
      s.agent.queue.steer(user("one"));
      s.agent.queue.steer(user("two"));
    }
  });
  await s.prompt("go");
  expect(s.shortWords()).toEqual(
    words(`agent_start ts ms(U) me(U) ms(A) mu* me(A:stop) te
      ts ms(U) me(U) ms(U) me(U) ms(A) mu* me(A:stop) te agent_end(stop)`),
  );
});

test("a follow-up waits until calls and steering are done, then starts a turn of the same run", async () => {
  const s = scenario({
    answers: [[{ call: "echo" }], [{ text: "a" }], [{ text: "b" }], [{ text: "c" }]],
    tools: [makeTool("echo")],
  });
  s.agent.queue.followUp(user("follow"));
  s.listen(({ type }) => {
    if (type === "tool_execution_start") s.agent.queue.steer(user("steer"));
  });
  await s.prompt("go");
  expect(s.shortWords()).toEqual(
    words(`agent_start ts ms(U) me(U) ms(A) mu* me(A:toolUse) xs:call_1 xe:call_1 ms(T) me(T) te
      ts ms(U) me(U) ms(A) mu* me(A:stop) te ts ms(U) me(U) ms(A) mu* me(A:stop) te agent_end(stop)`),
  );
  expect(s.agent.messages.filter(({ role }) => role === "user").map((m) => "content" in m && m.content)).toEqual([
    "go",
    "steer",
    "follow",
  ]);
});

test("one-at-a-time gives each follow-up its own turns and polls steering first again", async () => {
  const s = scenario({ answers: [[{ text: "a" }], [{ text: "b" }], [{ text: "c" }], [{ text: "d" }]] });
  s.agent.queue.followUp(user("follow 1"));
  s.agent.queue.followUp(user("follow 2"));
  s.listen((event) => {
    if (event.type === "message_end" && event.message.role === "user" && event.message.content === "follow 1") {
      s.agent.queue.steer(user("steer"));
    }
  });
  await s.prompt("go");
  expect(s.agent.messages.filter(({ role }) => role === "user").map((m) => "content" in m && m.content)).toEqual([
    "go",
    "follow 1",
    "steer",
    "follow 2",
  ]);
  expect(s.ofType("turn_end")).toHaveLength(4);
});

test("all delivers the follow-ups in one turn", async () => {
  const s = scenario({ answers: [[{ text: "a" }], [{ text: "b" }]] });
  s.agent.queue.followUpMode = "all";
  s.agent.queue.followUp(user("follow 1"));
  s.agent.queue.followUp(user("follow 2"));
  await s.prompt("go");
  expect(s.shortWords()).toEqual(
    words(`agent_start ts ms(U) me(U) ms(A) mu* me(A:stop) te
      ts ms(U) me(U) ms(U) me(U) ms(A) mu* me(A:stop) te agent_end(stop)`),
  );
});

test("a change of the queue mode applies from the next poll", async () => {
  const s = scenario({ answers: [[{ text: "a" }], [{ text: "b" }], [{ text: "c" }]] });
  for (const text of ["1", "2", "3"]) s.agent.queue.followUp(user(text));
  s.listen(({ type }) => {
    if (type === "turn_end" && s.requests.length === 2) s.agent.queue.followUpMode = "all";
  });
  await s.prompt("go");
  expect(s.shortWords()).toEqual(
    words(`agent_start ts ms(U) me(U) ms(A) mu* me(A:stop) te ts ms(U) me(U) ms(A) mu* me(A:stop) te
      ts ms(U) me(U) ms(U) me(U) ms(A) mu* me(A:stop) te agent_end(stop)`),
  );
});
