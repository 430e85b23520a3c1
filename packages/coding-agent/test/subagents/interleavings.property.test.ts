import { expect, test } from "bun:test";
import type { AgentSessionEvent } from "@pintle/wire";
import fc from "fast-check";
import { violations } from "../support/session/test-session.ts";
import { startFamily, task } from "../support/subagents/family.ts";

// A session and its subagents answer only when the test lets them, while the host steers and ends them in any order.

const GO = "Go";
const SECRET = "only a subagent says this";

type Action = { kind: "answer" | "steer" | "abort child" | "promote"; at: number } | { kind: "abort" };

const action = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("answer" as const), at: fc.nat(7) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("steer" as const), at: fc.nat(7) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("abort child" as const), at: fc.nat(7) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("promote" as const), at: fc.nat(7) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("abort" as const) }) },
);

/** Which of the subagents have one of their own, and how many may work at the same time. */
const shape = fc.record({ nested: fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }), places: fc.nat(2) });

const tick = () => new Promise((resolve) => setImmediate(resolve));

async function play(nested: readonly boolean[], places: number, actions: readonly Action[]) {
  const gates: (() => void)[] = [];
  const { session, events } = await startFamily(
    ({ task: text, turn }) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      gates.push(resolve);
      if (text === GO) {
        const tasks = nested.map((isNested, index) => ({ task: isNested ? "nest" : "work", name: `c${index}` }));
        return [{ wait: promise }, ...(turn === 0 ? [task({ tasks })] : [{ text: "parent" }])];
      }
      if (turn === 0)
        return [{ wait: promise }, text === "nest" ? task({ tasks: [{ task: "work" }] }) : { call: "ls", args: {} }];
      return [{ wait: promise }, { text: SECRET }];
    },
    { settings: { "permissions.mode": "full", "async.enabled": true, "task.maxConcurrency": places } },
  );
  session.subagents.level = "progress";
  let isOver = false;
  const run = session.prompt(GO).finally(() => {
    isOver = true;
  });
  const ended: Promise<unknown>[] = [run];
  for (const one of actions) {
    for (let count = 0; count < 6; count += 1) await tick();
    const { running } = session.subagents;
    const child = "at" in one ? running[one.at % Math.max(1, running.length)] : undefined;
    if (one.kind === "answer") gates.splice(one.at % Math.max(1, gates.length), 1)[0]?.();
    else if (one.kind === "abort") ended.push(session.abort());
    else if (one.kind === "abort child" && child) ended.push(session.subagents.abort(child.facts.id));
    else if (one.kind === "promote" && session.jobs.isOn) session.jobs.promote();
    else if (one.kind === "steer" && child?.session?.isRunning) {
      session.subagents.prompt({ subagentId: child.facts.id, message: "steered" });
    }
  }
  while (!isOver || session.subagents.running.length > 0 || session.jobs.isPending || session.isStreaming) {
    for (const release of gates.splice(0)) release();
    await tick();
  }
  await Promise.all(ended);
  await session.runs.settled();
  return { session, events };
}

const ofType = <T extends AgentSessionEvent["type"]>(events: readonly AgentSessionEvent[], type: T) =>
  events.filter((event): event is Extract<AgentSessionEvent, { type: T }> => event.type === type);

test("whatever the order, each subagent starts and ends once, and none of its events is the parent's", async () => {
  await fc.assert(
    fc.asyncProperty(shape, fc.array(action, { maxLength: 25 }), async ({ nested, places }, actions) => {
      const { session, events } = await play(nested, places, actions);
      expect(violations(events)).toEqual([]);
      expect(session.subagents.running).toEqual([]);

      const lifecycle = ofType(events, "subagent_lifecycle").map(({ payload }) => payload);
      for (const { id, status } of session.subagents.list({ all: true })) {
        const own = lifecycle.filter((one) => one.id === id).map((one) => one.status);
        expect([["started", status], [status]]).toContainEqual(own);
      }
      for (const { message } of ofType(events, "message_end")) {
        if (message.role === "assistant") expect(JSON.stringify(message.content)).not.toContain(SECRET);
      }
      const records = session.manager
        .entries()
        .flatMap((entry) =>
          entry.type === "custom" ? [(entry as { data?: { event?: string; jobId?: string } }).data] : [],
        );
      const idsOf = (event: string) => new Set(records.flatMap((one) => (one?.event === event ? [one.jobId] : [])));
      expect(idsOf("end")).toEqual(idsOf("start"));
      const answers = session.subagents
        .list({ all: true })
        .reduce((sum, { progress }) => sum + (progress?.requests ?? 0), 0);
      const own = session.messages.filter(({ role }) => role === "assistant").length;
      expect(answers + own).toBeGreaterThan(0);
      await session.dispose();
    }),
    { seed: 49, numRuns: 40, endOnFailure: true },
  );
}, 120_000);
