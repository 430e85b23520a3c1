import { describe, expect, test } from "bun:test";
import type { CustomTool, CustomToolSessionEvent } from "../../../src/extensibility/api/tool-types.ts";
import { notifyTools } from "../../../src/extensibility/custom-tools/notify-tools.ts";
import type { LoadFault } from "../../../src/extensibility/loading/load-fault.ts";
import { fakeContext } from "../../support/extensibility/custom-tools/loading.ts";

const context = fakeContext({ cwd: "/here" });

async function notify(
  handlers: readonly CustomTool["onSession"][],
  event: CustomToolSessionEvent,
  budgets = { usualMs: 60_000, shutdownMs: 60_000 },
): Promise<LoadFault[]> {
  const faults: LoadFault[] = [];
  const listeners = handlers.map((onSession, index) => ({
    path: `/tools/${index}.ts`,
    tool: { name: `tool${index}` },
    onSession: (heard: CustomToolSessionEvent) => onSession?.(heard, context()),
  }));
  await notifyTools(listeners, event, { report: (fault) => void faults.push(fault), budgets });
  return faults;
}

describe("tools are notified of the session", () => {
  test("each receives its own event and the context; tools without a handler are skipped", async () => {
    const heard: unknown[] = [];
    const spoil: CustomTool["onSession"] = (event, ctx) => {
      heard.push(event.reason, event.previousSessionFile, ctx.cwd);
      event.reason = "tree";
    };
    const event: CustomToolSessionEvent = { reason: "switch", previousSessionFile: "/old" };
    expect(await notify([spoil, undefined, spoil], event)).toEqual([]);
    expect(heard).toEqual(["switch", "/old", "/here", "switch", "/old", "/here"]);
    expect(event.reason).toBe("switch");
  });

  test("an error in one is reported, and the others are still notified", async () => {
    const heard: string[] = [];
    const faults = await notify(
      [
        () => {
          throw new Error("at once");
        },
        () => Promise.reject(new Error("later")),
        () => void heard.push("third"),
      ],
      { reason: "start" },
    );
    expect(faults).toEqual([
      { path: "/tools/0.ts", error: 'onSession of tool "tool0" (start): at once' },
      { path: "/tools/1.ts", error: 'onSession of tool "tool1" (start): later' },
    ]);
    expect(heard).toEqual(["third"]);
  });

  test("no tool is awaited longer than the budget, which differs at shutdown", async () => {
    const hangs = () => new Promise<void>(() => {});
    const usual = await notify([hangs, hangs], { reason: "branch" }, { usualMs: 20, shutdownMs: 600_000 });
    expect(usual.map(({ error }) => error)).toEqual([
      'onSession of tool "tool0" (branch): no answer within 0.02 s',
      'onSession of tool "tool1" (branch): no answer within 0.02 s',
    ]);
    const last = await notify([hangs], { reason: "shutdown" }, { usualMs: 600_000, shutdownMs: 10 });
    expect(last.map(({ error }) => error)).toEqual(['onSession of tool "tool0" (shutdown): no answer within 0.01 s']);
  });
});
