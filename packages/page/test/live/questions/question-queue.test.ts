import { describe, expect, test } from "bun:test";
import type { ApprovalRequest, PendingWait } from "@pintle/client/core";
import type { Dialog } from "../../../src/live/questions/question.ts";
import { QuestionQueue } from "../../../src/live/questions/question-queue.ts";

const NOW = 1_000_000;

function startQueue() {
  const events: string[] = [];
  let now = NOW;
  const queue = new QuestionQueue(
    {
      changed: () => void events.push(`changed to ${queue.questions.map(({ id }) => id).join(" ") || "none"}`),
      withdrawn: ({ id }, why) => void events.push(`${id} ${why}`),
    },
    () => now,
  );
  return {
    queue,
    events,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

const approval = (id: string): ApprovalRequest => ({
  type: "approval_request",
  id,
  reason: "",
  suggestedRules: [],
  expiresAt: NOW + 60_000,
  default: "deny",
  request: { toolCallId: id, tool: "bash", kind: "execute", title: "ls", origin: "builtin" },
});
const dialog = (id: string, timeout?: number): Dialog => ({
  type: "extension_ui_request",
  id,
  method: "input",
  title: "Name?",
  ...(timeout !== undefined && { timeout }),
});
const withdraw = (controller: AbortController, cause?: string) => controller.abort(new Error("over", { cause }));

describe("questions that wait", () => {
  test("are in order, and an answer removes its question", async () => {
    const { queue, events } = startQueue();
    const first = queue.ask("approval", approval("a1"), new AbortController().signal);
    const second = queue.ask("dialog", dialog("d1"), new AbortController().signal);
    const [asked, input] = queue.questions;
    if (asked?.kind !== "approval" || input?.kind !== "dialog") throw new Error("another order");
    input.answer("me");
    asked.answer("allow_once");
    asked.answer("deny"); // too late
    expect(await Promise.all([first, second])).toEqual(["allow_once", "me"]);
    expect(events).toEqual(["changed to a1", "changed to a1 d1", "changed to a1", "changed to none"]);
  });

  test.each([
    ["answered", 0, "answered"],
    ["timeout", 0, "timeout"],
    ["abort", 0, "stopped"],
    ["abort", 90_000, "stopped"],
    [undefined, 90_000, "timeout"],
    [undefined, 10_000, "stopped"],
  ] as const)("are withdrawn (%p, after %p ms) and say why", async (cause, ms, why) => {
    const { queue, events, pass } = startQueue();
    const controller = new AbortController();
    const answer = queue.ask("approval", approval("a1"), controller.signal);
    pass(ms);
    withdraw(controller, cause);
    expect(await answer).toBeUndefined();
    expect(events).toEqual(["changed to a1", "changed to none", `a1 ${why}`]);
  });

  test("that are withdrawn before they are asked are not shown", async () => {
    const { queue, events } = startQueue();
    expect(await queue.ask("approval", approval("a1"), AbortSignal.abort())).toBeUndefined();
    expect(events).toEqual([]);
  });

  test("of another session are dropped without an answer", async () => {
    const { queue, events } = startQueue();
    const controller = new AbortController();
    let isAnswered = false;
    const answer = queue.ask("approval", approval("a1"), controller.signal).then(() => {
      isAnswered = true;
    });
    queue.forget();
    await Promise.resolve();
    expect(isAnswered).toBe(false);
    withdraw(controller);
    await answer;
    expect(events).toEqual(["changed to a1", "changed to none"]);
  });

  test("have the deadline of their frame until the server has said when they were asked", () => {
    const { queue } = startQueue();
    void queue.ask("dialog", dialog("d1"), new AbortController().signal);
    void queue.ask("dialog", dialog("d2", 5_000), new AbortController().signal);
    expect(queue.questions.map(({ deadline }) => deadline)).toEqual([undefined, NOW + 5_000]);
    const wait = (id: string, deadline: number): PendingWait => ({
      kind: "dialog",
      id,
      since: NOW - 3_000,
      deadline,
      default: "no text",
    });
    queue.correct([wait("d1", NOW + 100), wait("d2", NOW + 2_000), wait("gone", NOW)]);
    expect(queue.questions.map(({ deadline, byDefault }) => [deadline, byDefault])).toEqual([
      [NOW + 100, "no text"],
      [NOW + 2_000, "no text"],
    ]);
  });
});
