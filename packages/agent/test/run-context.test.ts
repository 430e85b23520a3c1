import { expect, test } from "bun:test";
import { getEventListeners } from "node:events";
import { RequestMemory } from "@pintle/ai";
import { ContextBuilder } from "../src/context-builder.ts";
import { MessageLog } from "../src/message-log.ts";
import { MessageQueue } from "../src/message-queue.ts";
import { RunContext } from "../src/run-context.ts";
import { ToolChoiceQueue } from "../src/tool-choice.ts";
import { FakeClock } from "./support/fake-clock.ts";
import { quiet } from "./support/quiet.ts";

function context() {
  const controller = new AbortController();
  const clock = new FakeClock();
  const deps = { clock, limits: () => ({ maxTurns: 0, abortGraceMs: 100 }) };
  const state = {
    conversation: new MessageLog(),
    queue: new MessageQueue(),
    toolChoice: new ToolChoiceQueue(),
    context: new ContextBuilder(),
    requests: new RequestMemory(),
  };
  const run = new RunContext(deps as never, state, controller);
  const own = getEventListeners(controller.signal, "abort").length; // the deadline's
  return { run, controller, listeners: () => getEventListeners(controller.signal, "abort").length - own };
}

const NEVER = new Promise<never>(() => {});

test("abortable returns the result of the work, and rejects at an abort", async () => {
  const { run, controller, listeners } = context();
  expect(await run.abortable(5)).toBe(5);
  expect(await run.abortable(Promise.resolve(6))).toBe(6);
  await expect(run.abortable(Promise.reject(new Error("no")))).rejects.toThrow("no");
  await quiet();
  expect(listeners()).toBe(0);
  const waiting = run.abortable(NEVER);
  controller.abort();
  await expect(waiting).rejects.toThrow("Request was aborted");
  await expect(run.abortable(NEVER)).rejects.toThrow("Request was aborted");
  await expect(run.abortable(Promise.resolve(7))).rejects.toThrow("Request was aborted");
});

test("jobs run one after the other, also after a failure", async () => {
  const { run } = context();
  const log: string[] = [];
  const job = (name: string, gate: Promise<void>) => () => {
    log.push(`${name} starts`);
    return gate.finally(() => log.push(`${name} ends`));
  };
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  const first = run.inOrder(job("first", gates[0].promise));
  const second = run.inOrder(job("second", gates[1].promise));
  gates[1].resolve();
  await quiet();
  expect(log).toEqual(["first starts"]);
  gates[0].reject(new Error("no"));
  await expect(first).rejects.toThrow("no");
  await second;
  expect(log).toEqual(["first starts", "first ends", "second starts", "second ends"]);
});
