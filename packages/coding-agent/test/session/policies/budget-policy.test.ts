import { describe, expect, test } from "bun:test";
import { scriptedModelInfo } from "@pintle/ai/testing";
import type { AgentSessionEvent } from "@pintle/wire";
import { FakeClock } from "../../../../agent/test/support/fake-clock.ts";
import { quiet } from "../../../../agent/test/support/quiet.ts";
import { Settings } from "../../../src/config/settings/settings.ts";
import { AttachedHost } from "../../../src/session/attached-host.ts";
import { SessionEmitter } from "../../../src/session/conversation/event-emitter.ts";
import { BudgetPolicy } from "../../../src/session/policies/budget-policy.ts";

/** A policy in a run that has just begun. */
function begun() {
  const clock = new FakeClock();
  let now = 0; // the fake clock advances whenever it is read
  const events: AgentSessionEvent[] = [];
  const run = new AbortController();
  const listeners: (() => void)[] = [];
  const host = new AttachedHost(new SessionEmitter());
  const policy = new BudgetPolicy({
    settings: Settings.inMemory(),
    host,
    clock: { now: () => now, delay: (ms, signal) => clock.delay(ms, signal) },
    models: { current: scriptedModelInfo },
    manager: () => {
      throw new Error("a budget of a run looks at no session");
    },
    endRun: () => run.abort(),
    emit(event) {
      events.push(event);
      if (event.type === "budget_reached") for (const listener of listeners) listener();
    },
  });
  policy.prepare();
  policy.before({ type: "agent_start" });
  const pass = async (ms: number) => {
    now += ms;
    clock.advance(ms);
    await quiet();
  };
  return { policy, host, events, run, clock, pass, onReached: (listener: () => void) => listeners.push(listener) };
}

const types = (events: readonly AgentSessionEvent[]) => events.map(({ type }) => type);

describe("a limit on time", () => {
  test("warns and ends the run while something is at work", async () => {
    const { policy, events, run, pass } = begun();
    policy.set({ wallMs: 1000, onReached: "stop" });
    await pass(799);
    expect(types(events)).toEqual([]);
    await pass(1);
    expect(types(events)).toEqual(["budget_warning"]);
    await pass(200);
    expect(events.at(-1)).toEqual({ type: "budget_reached", limit: "wallMs", used: 1000, max: 1000, scope: "run" });
    expect(run.signal.aborted).toBe(true);
  });

  test("is reported once if a model call finds it used up first", async () => {
    const { policy, events, run, pass } = begun();
    policy.set({ turns: 1, wallMs: 1000, onReached: "stop" });
    policy.before({ type: "message_end", message: { role: "assistant", content: [], stopReason: "stop" } as never });
    await policy.beforeCall(run.signal);
    expect(run.signal.aborted).toBe(true);
    await pass(2000);
    expect(types(events)).toEqual(["budget_warning", "budget_reached"]);
  });

  test("that a listener raises does not end the run", async () => {
    const { policy, run, pass, onReached } = begun();
    policy.set({ wallMs: 1000, onReached: "stop" });
    onReached(() => policy.raise({ wallMs: 5000 }));
    await pass(1000);
    await pass(1000);
    expect(run.signal.aborted).toBe(false);
  });

  test("does not count a pause, and leaves no timer behind", async () => {
    const { policy, host, run, pass, clock } = begun();
    policy.set({ turns: 1, wallMs: 1000, onReached: "pause" });
    policy.before({ type: "message_end", message: { role: "assistant", content: [], stopReason: "stop" } as never });
    const raised = Promise.withResolvers<void>();
    host.attach({ raiseBudget: () => raised.promise });
    await pass(100);
    const call = policy.beforeCall(run.signal);
    await pass(5000);
    policy.raise({ turns: 2 });
    raised.resolve();
    await call;
    await pass(100);
    expect(policy.state?.used.wallMs).toBe(200);
    policy.before({ type: "agent_end", messages: [], stopReason: "stop" });
    await quiet();
    expect(clock.sleeperCount).toBe(0);
  });
});
