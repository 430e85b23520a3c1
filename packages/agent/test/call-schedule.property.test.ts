import { expect, test } from "bun:test";
import fc from "fast-check";
import { CallSchedule, CommandSlots } from "../src/call-schedule.ts";
import type { Concurrency } from "../src/types.ts";
import { PROPERTY_TIMEOUT_MS, propertyRuns } from "./support/property-runs.ts";

interface Call {
  id: number;
  concurrency: Concurrency;
  serializeOn: string[];
}

function schedule(list: readonly Call[], start: (call: Call) => Promise<number>, limit: number): Promise<number>[] {
  const schedule = new CallSchedule(new CommandSlots(limit));
  return list.map((call) => schedule.add(call, () => start(call)));
}

const kinds: Concurrency[] = ["shared", "read", "command", "write", "exclusive"];
const calls = fc
  .array(
    fc.record({
      concurrency: fc.constantFrom(...kinds),
      serializeOn: fc.subarray(["a", "b"]),
    }),
    { maxLength: 12 },
  )
  .map((list): Call[] => list.map((call, id) => ({ ...call, id })));

/**
 * Applies the rule of `docs/tools.md` to a pair: returns whether the later call must wait for the end of the earlier
 * one.
 */
function mustWait(later: Call, earlier: Call): boolean {
  if (later.concurrency === "exclusive" || earlier.concurrency === "exclusive") return true;
  if (later.serializeOn.some((key) => earlier.serializeOn.includes(key))) return true;
  const isWrite = (call: Call) => call.concurrency === "write";
  if (isWrite(later)) return earlier.concurrency === "read" || earlier.concurrency === "command";
  return isWrite(earlier);
}

test(
  "calls start as early as the rule allows, never earlier, and results stay in call order",
  async () => {
    const plan = fc.record({ list: calls, limit: fc.nat({ max: 4 }), seed: fc.array(fc.nat(), { minLength: 12 }) });
    await fc.assert(
      fc.asyncProperty(plan, async ({ list, limit, seed }) => {
        const ended = new Set<number>();
        const running = new Map<number, () => void>();
        const start = (call: Call) => {
          const early = list.slice(0, call.id).filter((earlier) => mustWait(call, earlier) && !ended.has(earlier.id));
          expect(early).toEqual([]);
          return new Promise<number>((resolve) => running.set(call.id, () => resolve(call.id)));
        };
        const results = schedule(list, start, limit);
        for (let step = 0; ended.size < list.length; step += 1) {
          await new Promise((resolve) => setImmediate(resolve));
          const commands = [...running.keys()].filter((id) => list[id]!.concurrency === "command");
          if (limit > 0) expect(commands.length).toBeLessThanOrEqual(limit);
          const ready = list.filter(
            (call) =>
              !ended.has(call.id) &&
              list.slice(0, call.id).every((earlier) => ended.has(earlier.id) || !mustWait(call, earlier)),
          );
          const hasFreeSlot = limit === 0 || commands.length < limit;
          const idle = ready.filter(({ id, concurrency }) => {
            return !running.has(id) && (concurrency !== "command" || hasFreeSlot);
          });
          expect(idle).toEqual([]);
          const ids = [...running.keys()];
          const chosen = ids[seed[step % seed.length]! % ids.length]!;
          ended.add(chosen);
          running.get(chosen)!();
          running.delete(chosen);
        }
        expect(await Promise.all(results)).toEqual(list.map(({ id }) => id));
      }),
      propertyRuns({ numRuns: 150, seed: 42 }),
    );
  },
  PROPERTY_TIMEOUT_MS,
);

test("a call that fails fails the calls that wait for it, and leaves no unhandled rejection", async () => {
  const failing = async (call: Call) => {
    throw new Error(`call ${call.id}`);
  };
  const kindsInOrder: Concurrency[] = ["write", "command", "command"];
  const list = kindsInOrder.map((concurrency, id): Call => ({ id, concurrency, serializeOn: [] }));
  const results = await Promise.allSettled(schedule(list, failing, 1));
  expect(results.map((result) => (result.status === "rejected" ? String(result.reason) : ""))).toEqual([
    "Error: call 0",
    "Error: call 0",
    "Error: call 0",
  ]);
});
