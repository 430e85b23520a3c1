import { expect, test } from "bun:test";
import type { PromptResultFrame, ServerFrame } from "@pintle/wire";
import { PromptResults } from "../../../../src/modes/rpc/commands/prompt-results.ts";
import type { RunResult, RunResults } from "../../../../src/session/results/run-results.ts";

const ended: RunResult = { agentInvoked: true, status: "completed", sessionId: "s", text: "done" };

function results() {
  const told: PromptResultFrame[] = [];
  const source: Pick<RunResults, "last" | "without"> = {
    last: ended,
    without: (fields) => ({ agentInvoked: false, ...fields, sessionId: "s" }),
  };
  return {
    told,
    prompts: new PromptResults(
      (frame) => told.push(frame),
      () => source,
    ),
  };
}

const settled: ServerFrame = { type: "agent_settled", aborted: false };

test("every prompt that joined a run receives its result", () => {
  const { told, prompts } = results();
  prompts.joinsRun({ id: "a" });
  prompts.joinsRun({ id: 7 });
  prompts.observe({ type: "agent_start" });
  expect(told).toEqual([]);
  prompts.observe(settled);
  expect(told).toEqual([
    { type: "prompt_result", id: "a", ...ended, sessionSettled: true },
    { type: "prompt_result", id: 7, ...ended, sessionSettled: true },
  ]);
});

test("reports a handled prompt immediately, and only once", () => {
  const { told, prompts } = results();
  const prompt = { id: undefined };
  prompts.joinsRun(prompt);
  prompts.handled(prompt, { status: "completed" });
  prompts.observe(settled);
  expect(told).toEqual([
    { type: "prompt_result", agentInvoked: false, status: "completed", sessionId: "s", sessionSettled: true },
  ]);
});

test("reports a prompt once when its run has ended, even if that run never started", () => {
  const { told, prompts } = results();
  const [first, second] = [{ id: "a" }, { id: "b" }];
  prompts.joinsRun(first);
  prompts.observe(settled);
  prompts.runIsOver(first);
  prompts.joinsRun(second);
  prompts.runIsOver(second);
  prompts.observe(settled);
  expect(told.map(({ id, agentInvoked, status }) => [id, agentInvoked, status])).toEqual([
    ["a", true, "completed"],
    ["b", false, "aborted"],
  ]);
});
