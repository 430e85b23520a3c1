import { expect, test } from "bun:test";
import type { PromptResultFrame, ServerFrame } from "@pintle/wire";
import { PromptResults } from "../../../../src/modes/rpc/commands/prompt-results.ts";

function results() {
  const told: PromptResultFrame[] = [];
  return { told, prompts: new PromptResults((frame) => told.push(frame)) };
}

const failed = {
  role: "assistant",
  content: [],
  stopReason: "error",
  errorMessage: "overloaded",
  provider: "local",
  model: "m",
};
const ends = (stopReason: string, ...messages: object[]) =>
  ({ type: "agent_end", messages, stopReason }) as unknown as ServerFrame;

test("a run that failed says with which error", () => {
  const { told, prompts } = results();
  prompts.joinsRun({ id: "a" });
  prompts.observe(ends("error", failed));
  expect(told).toEqual([]);
  prompts.observe({ type: "agent_settled", aborted: false });
  const error = { message: "overloaded", retryable: false, provider: "local", model: "m" };
  expect(told).toEqual([
    { type: "prompt_result", id: "a", agentInvoked: true, status: "error", error, sessionSettled: true },
  ]);
});

test("an error without a message of the model is one all the same", () => {
  const { told, prompts } = results();
  prompts.joinsRun({ id: 7 });
  prompts.observe(ends("error"));
  prompts.observe({ type: "agent_settled", aborted: false });
  expect(told[0]).toMatchObject({ id: 7, status: "error", error: { message: "The model failed" } });
});

test("a prompt that was handled is told at once, and only once", () => {
  const { told, prompts } = results();
  const prompt = { id: undefined };
  prompts.joinsRun(prompt);
  prompts.handled(prompt);
  prompts.observe(ends("length"));
  prompts.observe({ type: "agent_settled", aborted: false });
  expect(told).toEqual([{ type: "prompt_result", agentInvoked: false, status: "completed", sessionSettled: true }]);
});

test("a prompt whose run is over is told once, also if that run never began", () => {
  const { told, prompts } = results();
  const [first, second] = [{ id: "a" }, { id: "b" }];
  prompts.joinsRun(first);
  prompts.observe(ends("stop"));
  prompts.observe({ type: "agent_settled", aborted: false });
  prompts.runIsOver(first);
  prompts.joinsRun(second);
  prompts.runIsOver(second);
  prompts.observe({ type: "agent_settled", aborted: false });
  expect(told.map(({ id, agentInvoked, status }) => [id, agentInvoked, status])).toEqual([
    ["a", true, "completed"],
    ["b", false, "aborted"],
  ]);
});
