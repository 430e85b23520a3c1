import { expect, test } from "bun:test";
import { HANDLER_LIMITS } from "../../../src/extensibility/hooks/call-handler.ts";
import { type HandlerOwner, HandlerTable } from "../../../src/extensibility/hooks/handler-table.ts";
import { createLoopHooks } from "../../../src/extensibility/hooks/loop-hooks.ts";
import { DialogClock } from "../../../src/extensibility/ui/dialog-clock.ts";

test("message_end: the time limit starts with the first handler, not while extensions are being replaced", async () => {
  const faults: string[] = [];
  const forever = () => new Promise(() => {});
  const owner: HandlerOwner = {
    path: "it.ts",
    source: { path: "it.ts" } as never,
    isActive: true,
    handlers: new Map([["message_end", [forever, forever]]]),
    dialogs: new DialogClock(),
    contextFor: () => ({}) as never,
  };
  const callers = {
    handlers: new HandlerTable(() => [owner]),
    limits: { ...HANDLER_LIMITS, messageEndMs: 40 },
    runSignal: () => undefined,
    replaced: () => Bun.sleep(20),
    report: ({ error }: { error: string }) => faults.push(error),
  };
  const hooks = createLoopHooks(callers, () => "");
  const message = { role: "user", content: "x", timestamp: 1 } as const;
  expect(await hooks.messageEnd?.(message)).toBeUndefined();
  expect(faults).toEqual(["no answer within 0.04 s", "no answer within 0 s"]);
});
