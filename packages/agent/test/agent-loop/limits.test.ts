// The safety limits of the loop.

import { expect, test } from "bun:test";
import type { ScriptedAnswer } from "@pintle/ai/testing";
import { user } from "../support/messages.ts";
import { words } from "../support/notation.ts";
import { type Scenario, scenario } from "../support/scenario.ts";
import { makeTool } from "../support/tools.ts";

const echo = makeTool("echo");

function sameCall(times: number, args: Record<string, unknown> = { a: 1 }): ScriptedAnswer[] {
  return Array.from({ length: times }, () => [{ call: "echo", args }]);
}

function developerNotes(s: Scenario): unknown[] {
  return s.agent.messages.flatMap((message) => (message.role === "developer" ? [message.content] : []));
}

test("maxTurns: the run ends with an error that states the number of turns", async () => {
  const s = scenario({ answers: sameCall(9), tools: [echo], limits: { maxTurns: 2 } });
  await s.prompt("go");
  expect(s.shortWords()).toEqual(
    words(`agent_start ts ms(U) me(U) ms(A) mu* me(A:toolUse) xs:call_1 xe:call_1 ms(T) me(T) te
      ts ms(A) mu* me(A:toolUse) xs:call_2 xe:call_2 ms(T) me(T) te ts ms(A) me(A:error) te agent_end(error)`),
  );
  expect(s.agent.messages.at(-1)).toMatchObject({
    stopReason: "error",
    errorMessage: "Stopped after 2 turns",
    content: [],
  });
});

test("maxTurns: an answer that ends the run in the last allowed turn is not an error", async () => {
  const s = scenario({ answers: [[{ call: "echo" }], [{ text: "done" }]], tools: [echo], limits: { maxTurns: 2 } });
  await s.prompt("go");
  expect(s.words().at(-1)).toBe("agent_end(stop)");
});

test("maxTurns: neither next nor a late message extends the run beyond the limit", async () => {
  for (const how of ["step", "retry", "late"] as const) {
    const s = scenario({
      answers: [[{ text: "one" }], [{ text: "two" }], [{ text: "three" }]],
      limits: { maxTurns: 1 },
      next: async () => {
        if (s.requests.length > 3) return undefined;
        if (how === "step") return { kind: "turn", messages: [user("reminder")] };
        if (how === "retry") return { kind: "retry" };
        s.agent.queue.followUp(user("late"));
        return undefined;
      },
    });
    await s.prompt("go");
    expect(s.requests).toHaveLength(1);
    expect(s.words().at(-1)).toBe("agent_end(error)");
    expect(s.agent.queue.count).toBe(how === "late" ? 1 : 0);
  }
});

test("maxTurns: next is not asked for a run that ends at the limit", async () => {
  let isAsked = false;
  const s = scenario({
    answers: sameCall(2),
    tools: [echo],
    limits: { maxTurns: 1 },
    next: async () => {
      isAsked = true;
      return undefined;
    },
  });
  await s.prompt("go");
  expect(isAsked).toBe(false);
});

test("output limit: three continuations in a row, then an error", async () => {
  const cut: ScriptedAnswer = [{ call: "echo" }, { stop: "length" }];
  const s = scenario({ answers: [cut, cut, cut, cut, cut], tools: [echo] });
  await s.prompt("go");
  expect(s.requests).toHaveLength(4);
  expect(s.agent.messages.at(-1)).toMatchObject({ errorMessage: "Output limit reached repeatedly" });
});

test("output limit: a good turn in between starts the count again", async () => {
  const cut: ScriptedAnswer = [{ call: "echo" }, { stop: "length" }];
  const good: ScriptedAnswer = [{ call: "echo" }];
  const s = scenario({ answers: [cut, cut, cut, good, cut, cut, cut, [{ text: "done" }]], tools: [echo] });
  await s.prompt("go");
  expect(s.words().at(-1)).toBe("agent_end(stop)");
});

test("after an empty answer the model is asked again three times, then the answer is accepted", async () => {
  const s = scenario({ answers: [[], [{ text: "  \n" }], [{ thinking: "hm" }], [], [{ text: "never asked" }]] });
  await s.prompt("go");
  expect(s.requests).toHaveLength(4);
  expect(s.words().at(-1)).toBe("agent_end(stop)");
  expect(developerNotes(s)).toEqual(Array(3).fill(expect.stringContaining("empty")) as never);
  expect(s.shortWords().slice(0, 12)).toEqual(
    words("agent_start ts ms(U) me(U) ms(A) me(A:stop) te ts ms(developer) me(developer) ms(A) mu*"),
  );
});

test("an empty answer is asked again before a follow-up is delivered", async () => {
  const s = scenario({ answers: [[], [{ text: "now" }], [{ text: "more" }]] });
  s.agent.queue.followUp(user("follow"));
  await s.prompt("go");
  expect(s.agent.messages.map(({ role }) => role)).toEqual([
    "user",
    "assistant",
    "developer",
    "assistant",
    "user",
    "assistant",
  ]);
});

test("limits count per run", async () => {
  const s = scenario({
    answers: [...sameCall(2), [{ text: "a" }], ...sameCall(2), [{ text: "b" }]],
    tools: [echo],
    limits: { maxTurns: 3 },
  });
  await s.prompt("go");
  await s.prompt("again");
  expect(s.ofType("agent_end").map(({ stopReason }) => stopReason)).toEqual(["stop", "stop"]);
});

test("an abort while the last message of a limit is emitted ends the run as aborted", async () => {
  const s = scenario({ answers: sameCall(3), tools: [echo], limits: { maxTurns: 1 } });
  s.listen((event) => {
    if (event.type !== "message_end" || event.message.role !== "assistant") return;
    if (event.message.stopReason === "error") void s.agent.abort();
  });
  await s.prompt("go");
  expect(s.shortWords().slice(-4)).toEqual(words("ms(A) me(A:error) te agent_end(aborted)"));
});
