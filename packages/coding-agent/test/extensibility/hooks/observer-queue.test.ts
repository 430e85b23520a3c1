import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { AnyHandler, EventFields } from "../../../src/extensibility/api/event-types.ts";
import type { ExtensionFault } from "../../../src/extensibility/api/extension-host.ts";
import { ExtensionInstance } from "../../../src/extensibility/extensions/extension-instance.ts";
import { HANDLER_LIMITS } from "../../../src/extensibility/hooks/call-handler.ts";
import { HandlerTable } from "../../../src/extensibility/hooks/handler-table.ts";
import { ObserverQueue } from "../../../src/extensibility/hooks/observer-queue.ts";

type Update = EventFields<"message_update">;
type Seen = { type: string } & Record<string, unknown>;

function queueFor(handlers: Record<string, AnyHandler[]>, limitMs = HANDLER_LIMITS.usualMs) {
  const instance = new ExtensionInstance({ path: "ext.ts", realPath: "ext.ts", scope: "flag" });
  for (const [event, list] of Object.entries(handlers)) instance.handlers.set(event, list);
  instance.activate({ run: {}, session: {} } as never);
  const faults: ExtensionFault[] = [];
  const queue = new ObserverQueue({
    handlers: new HandlerTable(() => [instance]),
    limits: { ...HANDLER_LIMITS, usualMs: limitMs },
    runSignal: () => undefined,
    replaced: () => undefined,
    report: (fault) => faults.push(fault),
  });
  return { queue, faults };
}

const update = (delta: string, contentIndex = 0, type = "text_delta") =>
  ({ message: { text: delta }, assistantMessageEvent: { type, contentIndex, delta } }) as unknown as Update;

describe("ObserverQueue", () => {
  test("notifies handlers in order, one at a time, after the caller has continued", async () => {
    const told: string[] = [];
    const slow: AnyHandler = async ({ type }) => {
      await Bun.sleep(1);
      told.push(`slow ${type}`);
    };
    const fast: AnyHandler = ({ type }) => told.push(`fast ${type}`);
    const { queue } = queueFor({ agent_start: [slow, fast], agent_settled: [fast] });
    queue.push("agent_start", {});
    queue.push("agent_settled", { aborted: false });
    expect(told).toEqual([]);
    await queue.idle();
    expect(told).toEqual(["slow agent_start", "fast agent_start", "fast agent_settled"]);
  });

  test("a handler that fails or hangs is reported, and the others are notified", async () => {
    const told: string[] = [];
    const { queue, faults } = queueFor(
      {
        agent_start: [
          () => {
            throw new Error("at once");
          },
          async () => {
            throw new Error("later");
          },
          () => new Promise(() => {}),
          () => told.push("told"),
        ],
      },
      10,
    );
    queue.push("agent_start", {});
    await queue.idle();
    expect(told).toEqual(["told"]);
    expect(faults.map(({ error }) => error)).toEqual(["at once", "later", "no answer within 0.01 s"]);
    expect(faults[0]).toEqual({ path: "ext.ts", event: "agent_start", error: "at once" });
  });

  test("merges updates that supersede each other without losing text", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            delta: fc.string({ maxLength: 5 }),
            contentIndex: fc.nat(1),
            type: fc.constantFrom("text_delta", "thinking_delta"),
            pause: fc.boolean(),
          }),
          { maxLength: 40 },
        ),
        async (steps) => {
          const seen: Update[] = [];
          const { queue } = queueFor({ message_update: [(event) => seen.push(event as never)] });
          for (const { delta, contentIndex, type, pause } of steps) {
            queue.push("message_update", update(delta, contentIndex, type));
            if (pause) await queue.idle();
          }
          await queue.idle();
          const key = ({ type, contentIndex }: { type: string; contentIndex: number }) => `${type}${contentIndex}`;
          const joined = (parts: readonly { key: string; text: string }[]) => {
            const runs: { key: string; text: string }[] = [];
            for (const part of parts) {
              const last = runs.at(-1);
              if (last?.key === part.key) last.text += part.text;
              else runs.push({ ...part });
            }
            return runs;
          };
          const sent = joined(steps.map((step) => ({ key: key(step), text: step.delta })));
          const got = joined(
            seen.map(({ assistantMessageEvent: event }) => ({
              key: key(event),
              text: (event as { delta: string }).delta,
            })),
          );
          expect(got).toEqual(sent);
          // The last notification carries the newest message.
          expect((seen.at(-1)?.message as unknown as { text: string } | undefined)?.text).toBe(steps.at(-1)?.delta);
        },
      ),
      { numRuns: 60 },
    );
  });

  test("merges thousands of updates into one while a handler is busy", async () => {
    const seen: Seen[] = [];
    const { promise: hold, resolve } = Promise.withResolvers<void>();
    const { queue } = queueFor({
      message_update: [
        async (event) => {
          seen.push(event as Seen);
          await hold;
        },
      ],
      tool_execution_update: [(event) => seen.push(event as Seen)],
    });
    queue.push("message_update", update("a"));
    await Bun.sleep(0);
    for (let index = 0; index < 5_000; index += 1) queue.push("message_update", update("b"));
    for (const [index, toolCallId] of ["1", "1", "2", "1"].entries()) {
      queue.push("tool_execution_update", { toolCallId, index } as never);
    }
    resolve();
    await queue.idle();
    expect(seen.map(({ type }) => type)).toEqual([
      "message_update",
      "message_update",
      ...Array(2).fill("tool_execution_update"),
    ]);
    expect((seen[1]!.assistantMessageEvent as { delta: string }).delta).toBe("b".repeat(5_000));
    expect(seen.slice(2).map(({ toolCallId, index }) => [toolCallId, index])).toEqual([
      ["1", 3],
      ["2", 2],
    ]);
  });

  test("warns once about handlers that fall far behind, and keeps memory bounded", async () => {
    const { promise: hold, resolve } = Promise.withResolvers<void>();
    let told = 0;
    const { queue, faults } = queueFor({
      agent_start: [
        async () => {
          told += 1;
          await hold;
        },
      ],
    });
    for (let index = 0; index < 20_000; index += 1) queue.push("agent_start", {});
    resolve();
    await queue.idle();
    expect(told).toBe(10_000);
    expect(faults).toEqual([
      { path: "ext.ts", event: "agent_start", error: "handlers fell behind; events were dropped" },
    ]);
  });
});
