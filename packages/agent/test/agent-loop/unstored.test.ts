import { expect, test } from "bun:test";
import type { AgentEvent } from "../../src/events.ts";
import { text } from "../support/messages.ts";
import { scenario } from "../support/scenario.ts";
import { makeTool, ok } from "../support/tools.ts";

// The event consumer may refuse the end of a message that it cannot store. No listener received such an end.

/** Refuses the first matching message ends, as a store would; a refused one is not an event. */
function refusing(run: ReturnType<typeof scenario>, fits: (event: AgentEvent) => boolean, times = 1): void {
  let left = times;
  run.listen((event) => {
    if (event.type !== "message_end" || left === 0 || !fits(event)) return;
    left -= 1;
    run.events.pop();
    throw new Error("the disk is made of cheese");
  });
}

const endOf = (role: string) => (event: AgentEvent) => event.type === "message_end" && event.message.role === role;
const TEXT = "The message could not be stored: the disk is made of cheese";

test("an answer that cannot be stored ends as a failed one, and the run with it", async () => {
  const run = scenario({ answers: [[{ text: "hi" }]] });
  refusing(run, endOf("assistant"));
  await run.prompt("x");
  expect(run.shortWords().slice(-4)).toEqual(["mu*", "me(A:error)", "te", "agent_end(error)"]);
  expect(run.ofType("agent_end")[0]).toMatchObject({ stopReason: "error" });
  expect(run.agent.messages.at(-1)).toMatchObject({ content: [], stopReason: "error", errorMessage: TEXT });
  expect(run.agent.messages).toHaveLength(2);
});

test("a result that cannot be stored becomes one that says so, and the model continues with it", async () => {
  const tool = makeTool("echo", async () => ({ ...ok("fine"), details: { secret: 1 } }));
  const run = scenario({ answers: [[{ call: "echo" }], [{ text: "hm" }]], tools: [tool] });
  refusing(run, endOf("toolResult"));
  await run.prompt("x");
  expect(run.agent.messages[2]).toMatchObject({
    role: "toolResult",
    isError: true,
    content: [text(TEXT)],
    details: {},
  });
  expect(run.ofType("turn_end")[0]?.toolResults).toEqual([run.agent.messages[2] as never]);
  expect(run.ofType("agent_end")[0]).toMatchObject({ stopReason: "stop" });
});

test("a run of which no message can be stored still ends", async () => {
  const run = scenario({ answers: [[{ text: "hi" }]] });
  refusing(run, (event) => event.type === "message_end", 100);
  await run.prompt("x");
  expect(run.ofType("agent_end")).toEqual([{ type: "agent_end", messages: [], stopReason: "error" }]);
  expect(run.agent.messages).toEqual([]);
  expect(run.agent.isRunning).toBe(false);
});
