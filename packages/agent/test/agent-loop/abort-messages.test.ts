import { expect, test } from "bun:test";
import type { AgentEvent } from "../../src/events.ts";
import { user } from "../support/messages.ts";
import { words } from "../support/notation.ts";
import { quiet } from "../support/quiet.ts";
import { scenario } from "../support/scenario.ts";
import { makeTool } from "../support/tools.ts";

test("no model call starts after an abort, at whichever event it comes", async () => {
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

test("no queued message is delivered into an aborted run, at whichever event the abort comes", async () => {
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

test("with mode all, messages not yet announced at the abort return to the head of their queue", async () => {
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

test("messages of a step that were not announced at the abort are dropped", async () => {
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
