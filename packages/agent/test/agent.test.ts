import { expect, test } from "bun:test";
import { AbortedBeforeStartError, AgentBusyError, BUSY_TEXT } from "../src/agent.ts";
import { assistant, result, text, user } from "./support/messages.ts";
import { words } from "./support/notation.ts";
import { microtasks, quiet } from "./support/quiet.ts";
import { scenario } from "./support/scenario.ts";
import { GatedTool } from "./support/tools.ts";

const NEVER = new Promise<never>(() => {});

test("a second prompt is refused immediately, with the message hosts know", async () => {
  const s = scenario({ answers: [[{ text: "a" }]] });
  const run = s.prompt("one");
  expect(() => s.prompt("two")).toThrow(AgentBusyError);
  expect(() => s.agent.claim()).toThrow(BUSY_TEXT);
  await expect(s.agent.continue()).rejects.toThrow(); // nothing to continue from yet
  await run;
  expect(s.ofType("agent_start")).toHaveLength(1);
});

test("the agent counts as running from the claim until just before agent_end", async () => {
  const s = scenario({ answers: [[{ text: "a" }]] });
  const seen: [string, boolean][] = [];
  s.listen(({ type }) => seen.push([type, s.agent.isRunning]));
  const claim = s.agent.claim();
  expect(s.agent.isRunning).toBe(true);
  await claim.start([user("go")]);
  expect(seen.filter(([, isRunning]) => !isRunning)).toEqual([["agent_end", false]]);
  expect(s.agent.isRunning).toBe(false);
});

test("a claim that is given back leaves no trace", async () => {
  const s = scenario();
  const claim = s.agent.claim();
  claim.release();
  expect(s.agent.isRunning).toBe(false);
  await s.agent.abort();
  expect(s.events).toEqual([]);
});

test("a claim can be used for one run only", async () => {
  const s = scenario({ answers: [[{ wait: NEVER }]] });
  const claim = s.agent.claim();
  const run = claim.start([user("go")]);
  await expect(claim.start([user("again")])).rejects.toThrow("one run");
  claim.release();
  expect(s.agent.isRunning).toBe(true); // the run owns it now
  await s.agent.abort();
  await run;
  const other = s.agent.claim();
  other.release();
  await expect(other.start([user("late")])).rejects.toThrow("one run");
});

test("an old claim cannot affect the next one", async () => {
  const s = scenario({ answers: [[{ wait: NEVER }]] });
  const old = s.agent.claim();
  old.release();
  const run = s.prompt("go");
  old.release();
  expect(s.agent.isRunning).toBe(true);
  await s.agent.abort();
  await run;
});

test("abort between acceptance and start: no events, nothing stored, the prompt fails", async () => {
  const s = scenario();
  const claim = s.agent.claim();
  let isSettled = false;
  const aborted = s.agent.abort().then(() => {
    isSettled = true;
  });
  expect(claim.signal.aborted).toBe(true);
  await quiet();
  expect(isSettled).toBe(false); // the claim is still held
  await expect(claim.start([user("go")])).rejects.toThrow(AbortedBeforeStartError);
  await aborted;
  expect(s.events).toEqual([]);
  expect(s.agent.messages).toEqual([]);
  expect(s.agent.isRunning).toBe(false);
});

test("abort when idle does nothing; repeated and concurrent aborts all resolve after agent_end", async () => {
  const s = scenario({ answers: [[{ wait: NEVER }]] });
  await s.agent.abort();
  const run = s.prompt("go");
  await quiet();
  const order: string[] = [];
  s.listen(({ type }) => {
    if (type === "agent_end") order.push(type);
  });
  await Promise.all([1, 2, 3].map(() => s.agent.abort().then(() => order.push("aborted"))));
  await run;
  await s.agent.abort();
  expect(order).toEqual(["agent_end", "aborted", "aborted", "aborted"]);
});

test("a prompt directly after an abort is accepted", async () => {
  const s = scenario({ answers: [[{ wait: NEVER }], [{ text: "b" }]] });
  const run = s.prompt("one");
  await quiet();
  await s.agent.abort();
  await s.prompt("two");
  await run;
  expect(s.ofType("agent_end").map(({ stopReason }) => stopReason)).toEqual(["aborted", "stop"]);
});

test("a prompt from a listener of agent_end is accepted", async () => {
  const s = scenario({ answers: [[{ text: "a" }], [{ text: "b" }]] });
  let second: Promise<unknown> | undefined;
  s.listen(({ type }) => {
    if (type === "agent_end") second ??= s.prompt("two");
  });
  await s.prompt("one");
  await second;
  expect(s.words().filter((word) => word.startsWith("agent"))).toEqual(
    words("agent_start agent_end(stop) agent_start agent_end(stop)"),
  );
});

test("an abort does not wait for the run that a listener of its agent_end starts", async () => {
  const s = scenario({ answers: [[{ wait: NEVER }], [{ wait: NEVER }]] });
  let second: Promise<unknown> | undefined;
  s.listen(({ type }) => {
    if (type === "agent_end") second ??= s.prompt("two");
  });
  const first = s.prompt("one");
  await quiet();
  await s.agent.abort();
  await first;
  expect(s.agent.isRunning).toBe(true);
  await s.agent.abort();
  await second;
});

test("nothing of an aborted run happens in the next one", async () => {
  const deaf = new GatedTool("deaf");
  const s = scenario({ answers: [[{ call: "deaf" }], [{ call: "deaf" }], [{ text: "ok" }]], tools: [deaf.tool] });
  const first = s.prompt("one");
  await quiet();
  const aborted = s.agent.abort();
  await quiet();
  s.clock.advance(5_000);
  await aborted;
  await first;
  const second = s.prompt("two");
  await quiet();
  deaf.at("call_1").call.update({ content: [{ type: "text", text: "late" }] });
  deaf.at("call_1").finish();
  await quiet();
  expect(s.ofType("tool_execution_end").map(({ toolCallId }) => toolCallId)).toEqual(["call_1"]);
  deaf.at("call_2").finish();
  await second;
  expect(s.words().at(-1)).toBe("agent_end(stop)");
});

test("continue resumes from a user message or a result", async () => {
  const s = scenario({ answers: [[{ text: "a" }]] });
  s.agent.replaceMessages([
    user("go"),
    assistant([{ type: "toolCall", id: "c", name: "x", arguments: {} }]),
    result("c"),
  ]);
  await s.agent.continue();
  expect(s.shortWords()).toEqual(words("agent_start ts ms(A) mu* me(A:stop) te agent_end(stop)"));
  expect(s.requests[0]?.context.messages.map(({ role }) => role)).toEqual(["user", "assistant", "toolResult"]);
});

test("continue fails with an empty conversation, and after an answer with nothing queued", async () => {
  const s = scenario();
  await expect(s.agent.continue()).rejects.toThrow("No messages to continue from");
  s.agent.append(assistant([text("done")]));
  await expect(s.agent.continue()).rejects.toThrow("Cannot continue from message role: assistant");
  expect(s.agent.isRunning).toBe(false);
  expect(s.events).toEqual([]);
});

test("continue after an answer takes one step of the queues: steering first, otherwise a follow-up", async () => {
  const s = scenario({ answers: [[{ text: "b" }], [{ text: "c" }], [{ text: "d" }]] });
  s.agent.append(assistant([text("a")]));
  s.agent.queue.steer(user("steer 1"));
  s.agent.queue.steer(user("steer 2"));
  s.agent.queue.followUp(user("follow"));
  await s.agent.continue();
  const turn = "ts ms(U) me(U) ms(A) mu* me(A:stop) te";
  expect(s.shortWords()).toEqual(words(`agent_start ${turn} ${turn} ${turn} agent_end(stop)`));
  s.agent.queue.followUp(user("more"));
  await s.agent.continue();
  expect(s.ofType("agent_end")[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
});

test("continue during a run is refused and takes nothing", async () => {
  const s = scenario({ answers: [[{ wait: NEVER }]] });
  s.agent.append(assistant([text("a")]));
  const run = s.prompt("go");
  await quiet();
  s.agent.queue.followUp(user("kept"));
  await expect(s.agent.continue()).rejects.toThrow(BUSY_TEXT);
  expect(s.agent.queue.count).toBe(1);
  await s.agent.abort();
  await run;
});

test("an abort settles at whichever microtask it comes", async () => {
  for (let delay = 0; delay < 60; delay += 1) {
    const s = scenario({ answers: [[{ text: "a" }], [{ text: "b" }]], next: async () => undefined });
    s.agent.queue.followUp(user("more"));
    const run = s.prompt("go");
    await microtasks(delay);
    const requestCount = s.requests.length;
    const wasRunning = s.agent.isRunning;
    await s.agent.abort();
    await run;
    if (wasRunning) expect(s.requests).toHaveLength(requestCount);
    expect(s.words().at(-1)).toBe(wasRunning ? "agent_end(aborted)" : "agent_end(stop)");
  }
});
