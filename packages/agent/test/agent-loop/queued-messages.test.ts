// What happens to queued messages, as far as the loop decides it.
import { expect, test } from "bun:test";
import { user } from "../support/messages.ts";
import { words } from "../support/notation.ts";
import { microtasks, quiet } from "../support/quiet.ts";
import { type Scenario, scenario } from "../support/scenario.ts";

function userTexts(s: Scenario): unknown[] {
  return s.agent.messages.flatMap((message) => (message.role === "user" ? [message.content] : []));
}

test("queued while idle: it stays queued and counted, no run starts; steering is delivered right after the next prompt", async () => {
  const s = scenario({ answers: [[{ text: "a" }], [{ text: "b" }]] });
  s.agent.queue.steer(user("steer"));
  s.agent.queue.followUp(user("follow"));
  await quiet();
  expect(s.events).toEqual([]);
  expect(s.agent.queue.count).toBe(2);
  await s.prompt("go");
  expect(userTexts(s)).toEqual(["go", "steer", "follow"]);
  expect(s.shortWords()).toEqual(
    words(`agent_start ts ms(U) me(U) ms(U) me(U) ms(A) mu* me(A:stop) te
      ts ms(U) me(U) ms(A) mu* me(A:stop) te agent_end(stop)`),
  );
  expect(s.agent.queue.count).toBe(0);
});

test("a message accepted during the run is delivered by it, however late it arrives", async () => {
  for (const queueIt of ["steer", "followUp"] as const) {
    for (let delay = 0; delay < 40; delay += 1) {
      const s = scenario({ answers: [[{ text: "a" }], [{ text: "b" }]], next: async () => undefined });
      const run = s.prompt("go");
      await s.seen("turn_end");
      await microtasks(delay);
      const wasRunning = s.agent.isRunning;
      s.agent.queue[queueIt](user("late"));
      await run;
      expect({ delay, queueIt, delivered: userTexts(s) }).toEqual({
        delay,
        queueIt,
        delivered: wasRunning ? ["go", "late"] : ["go"],
      });
      expect(s.agent.queue.count).toBe(wasRunning ? 0 : 1);
    }
  }
});

test("a message queued by a listener of the last turn_end is delivered", async () => {
  const s = scenario({ answers: [[{ text: "a" }], [{ text: "b" }]] });
  s.listen(({ type }) => {
    if (type === "turn_end" && s.requests.length === 1) s.agent.queue.followUp(user("late"));
  });
  await s.prompt("go");
  expect(userTexts(s)).toEqual(["go", "late"]);
});

test("queued by a listener of agent_end: kept for the next prompt", async () => {
  const s = scenario({ answers: [[{ text: "a" }], [{ text: "b" }]] });
  s.listen(({ type }) => {
    if (type === "agent_end" && s.requests.length === 1) s.agent.queue.steer(user("late"));
  });
  await s.prompt("go");
  await quiet();
  expect(s.ofType("agent_start")).toHaveLength(1);
  expect(s.agent.queue.count).toBe(1);
  await s.prompt("next");
  expect(userTexts(s)).toEqual(["go", "next", "late"]);
});

test("user abort: kept, counted, not delivered automatically; delivered after the next prompt's own message", async () => {
  const s = scenario({ answers: [[{ wait: new Promise(() => {}) }], [{ text: "a" }], [{ text: "b" }]] });
  const run = s.prompt("go");
  await quiet();
  s.agent.queue.steer(user("steer"));
  s.agent.queue.followUp(user("follow"));
  await s.agent.abort();
  await run;
  await quiet();
  expect(s.agent.queue.count).toBe(2);
  expect(s.ofType("agent_start")).toHaveLength(1);
  await s.prompt("next");
  expect(userTexts(s)).toEqual(["go", "next", "steer", "follow"]);
});

test("abort and prompt: the new prompt goes first", async () => {
  const s = scenario({ answers: [[{ wait: new Promise(() => {}) }], [{ text: "a" }]] });
  const run = s.prompt("go");
  await quiet();
  s.agent.queue.steer(user("steer"));
  await s.agent.abort();
  await Promise.all([run, s.prompt("instead")]);
  expect(userTexts(s)).toEqual(["go", "instead", "steer"]);
});

test("terminal error: kept, not delivered automatically; delivered with the next prompt", async () => {
  const gate = Promise.withResolvers<void>();
  const s = scenario({ answers: [[{ wait: gate.promise }, { fail: "auth" }], [{ text: "a" }], [{ text: "b" }]] });
  const run = s.prompt("go");
  await quiet();
  s.agent.queue.steer(user("steer"));
  s.agent.queue.followUp(user("follow"));
  gate.resolve();
  await run;
  expect(s.words().at(-1)).toBe("agent_end(error)");
  expect(s.agent.queue.count).toBe(2);
  await s.prompt("next");
  expect(userTexts(s)).toEqual(["go", "next", "steer", "follow"]);
});

test("retry: kept during the retry, delivered at the normal point afterwards", async () => {
  const gate = Promise.withResolvers<void>();
  const s = scenario({
    answers: [[{ fail: "overloaded" }], [{ text: "a" }], [{ text: "b" }]],
    next: async ({ state }) => {
      if (state !== "failed") return undefined;
      s.agent.queue.steer(user("steer"));
      await gate.promise;
      return { kind: "retry" };
    },
  });
  const run = s.prompt("go");
  await quiet();
  expect(s.agent.queue.count).toBe(1);
  gate.resolve();
  await run;
  expect(s.shortWords()).toEqual(
    words(`agent_start ts ms(U) me(U) ms(A) me(A:error) te ts ms(A) mu* me(A:stop) te
      ts ms(U) me(U) ms(A) mu* me(A:stop) te agent_end(stop)`),
  );
});

test("a limit that ends the run keeps the queue", async () => {
  const s = scenario({ answers: [[{ text: "a" }], [{ text: "b" }]], limits: { maxTurns: 1 } });
  s.agent.queue.followUp(user("follow"));
  await s.prompt("go");
  expect(s.words().at(-1)).toBe("agent_end(error)");
  expect(s.agent.queue.count).toBe(1);
});

test("clear_queue during a run: cleared messages are not delivered", async () => {
  const gate = Promise.withResolvers<void>();
  const s = scenario({ answers: [[{ wait: gate.promise }, { text: "a" }]] });
  const run = s.prompt("go");
  await quiet();
  s.agent.queue.steer(user("steer"));
  s.agent.queue.followUp(user("follow"));
  const cleared = s.agent.queue.clear("steering", "followUp");
  gate.resolve();
  await run;
  expect(cleared).toEqual({ steering: [user("steer")], followUp: [user("follow")], nextTurn: [] });
  expect(userTexts(s)).toEqual(["go"]);
});

test("images of queued messages arrive", async () => {
  const s = scenario({ answers: [[{ text: "nice" }]] });
  const picture = { type: "image", data: "aGk=", mimeType: "image/png" } as const;
  s.agent.queue.steer({ role: "user", content: [picture], timestamp: 5 });
  await s.prompt("look");
  expect(s.requests[0]?.context.messages).toEqual([user("look"), { role: "user", content: [picture], timestamp: 5 }]);
});

test("a run does not touch messages for the next prompt", async () => {
  const s = scenario({ answers: [[{ text: "a" }]] });
  const note = { role: "custom", customType: "n", content: "note", display: true, timestamp: 1 } as const;
  s.agent.queue.withNextPrompt(note);
  await s.prompt("go");
  expect(s.agent.queue.count).toBe(1);
  expect(s.agent.queue.takeNextTurn()).toEqual([note]);
});
