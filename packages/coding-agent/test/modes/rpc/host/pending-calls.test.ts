import { describe, expect, test } from "bun:test";
import { PendingCalls } from "../../../../src/modes/rpc/host/pending-calls.ts";
import type { WaitRequest } from "../../../../src/modes/rpc/host/pending-wait.ts";
import { countedIds } from "../../../../src/modes/rpc/host/question-ids.ts";
import { FakeTimers, settle } from "../../../support/modes/frames/fake-timers.ts";
import { CountedSignal } from "../../../support/modes/rpc/counted-signal.ts";

const EPOCH = 1_700_000_000_000;

function createTable() {
  const timers = new FakeTimers();
  const pending = new PendingCalls({ timers, now: () => EPOCH + timers.now(), newId: countedIds() });
  return { timers, pending };
}

const dialog = { kind: "dialog", deadlineMs: 1000, default: "nothing" } as const satisfies WaitRequest<"dialog">;

/** The end of a wait, or "open". */
async function stateOf(wait: { ended: Promise<unknown> }): Promise<unknown> {
  await settle();
  return Promise.race([wait.ended, Promise.resolve("open")]);
}

describe("a request ends", () => {
  test("with the host's answer", async () => {
    const { pending } = createTable();
    const wait = pending.open(dialog);
    expect(await stateOf(wait)).toBe("open");
    pending.answer("dialog", wait.id, { value: "yes" });
    expect(await stateOf(wait)).toEqual({ by: "host", answer: { value: "yes" } });
  });

  test("at its deadline, by the server's clock", async () => {
    const { timers, pending } = createTable();
    const wait = pending.open(dialog);
    timers.advance(999);
    expect(await stateOf(wait)).toBe("open");
    timers.advance(1);
    expect(await stateOf(wait)).toEqual({ by: "timeout" });
  });

  test("when one of its signals is aborted", async () => {
    const { pending } = createTable();
    const [run, command] = [new CountedSignal(), new CountedSignal()];
    const wait = pending.open({ ...dialog, signals: [run.signal, undefined, command.signal] });
    command.abort();
    expect(await stateOf(wait)).toEqual({ by: "abort" });
    expect([run.listenerCount, command.listenerCount]).toEqual([0, 0]);
  });

  test("when the host disconnects, and immediately afterwards", async () => {
    const { pending, timers } = createTable();
    const waits = [pending.open(dialog), pending.open({ ...dialog, kind: "trust" })];
    pending.hostGone();
    const late = pending.open(dialog);
    expect(late.isAsked).toBe(false);
    expect(await Promise.all([...waits, late].map(stateOf))).toEqual([
      { by: "disconnect" },
      { by: "disconnect" },
      { by: "disconnect" },
    ]);
    expect({ list: pending.list(), timers: timers.pendingCount }).toEqual({ list: [], timers: 0 });
  });

  test("before it starts if its signal is already aborted", async () => {
    const { pending, timers } = createTable();
    const signal = new CountedSignal();
    signal.abort();
    const wait = pending.open({ ...dialog, signals: [signal.signal] });
    expect({ isAsked: wait.isAsked, end: await stateOf(wait) }).toEqual({ isAsked: false, end: { by: "abort" } });
    expect({ list: pending.list(), timers: timers.pendingCount, listeners: signal.listenerCount }).toEqual({
      list: [],
      timers: 0,
      listeners: 0,
    });
  });

  test("with the first of several outcomes", async () => {
    const { pending, timers } = createTable();
    const signal = new CountedSignal();
    const wait = pending.open({ ...dialog, signals: [signal.signal] });
    pending.answer("dialog", wait.id, { value: "first" });
    pending.answer("dialog", wait.id, { value: "second" });
    signal.abort();
    timers.advance(5000);
    pending.hostGone();
    expect(await stateOf(wait)).toEqual({ by: "host", answer: { value: "first" } });
  });
});

describe("answers", () => {
  test("of another kind, for another id or without a string as id are ignored", async () => {
    const { pending } = createTable();
    const wait = pending.open(dialog);
    pending.answer("trust", wait.id, { trusted: true });
    pending.answer("host_tool", wait.id, { result: {} });
    pending.answer("dialog", "ui_99", { value: "x" });
    pending.answer("dialog", undefined, { value: "x" });
    pending.answer("dialog", 1, { value: "x" });
    pending.update("host_tool", wait.id, {});
    expect(await stateOf(wait)).toBe("open");
  });

  test("may come in any order", async () => {
    const { pending } = createTable();
    const [first, second, third] = [pending.open(dialog), pending.open(dialog), pending.open(dialog)];
    pending.answer("dialog", third.id, { value: "3" });
    pending.answer("dialog", first.id, { value: "1" });
    expect(await stateOf(third)).toEqual({ by: "host", answer: { value: "3" } });
    expect(await stateOf(first)).toEqual({ by: "host", answer: { value: "1" } });
    expect(pending.list().map(({ id }) => id)).toEqual([second.id]);
  });
});

describe("updates", () => {
  test("reach the waiting caller and restart the timeout", async () => {
    const { pending, timers } = createTable();
    const updates: unknown[] = [];
    const wait = pending.open({ ...dialog, kind: "host_tool", onUpdate: (update) => updates.push(update) });
    timers.advance(900);
    pending.update("host_tool", wait.id, "half");
    expect(pending.list()[0]).toMatchObject({ since: EPOCH, deadline: EPOCH + 1900 });
    timers.advance(999);
    expect(await stateOf(wait)).toBe("open");
    timers.advance(1);
    expect(await stateOf(wait)).toEqual({ by: "timeout" });
    pending.update("host_tool", wait.id, "late");
    expect({ updates, timers: timers.pendingCount }).toEqual({ updates: ["half"], timers: 0 });
  });
});

describe("the list", () => {
  test("shows open requests, oldest first, with the opener's details and nothing else", () => {
    const { pending, timers } = createTable();
    pending.open({ ...dialog, about: { method: "confirm", title: "Sure?" } });
    timers.advance(5);
    pending.open({
      kind: "host_tool",
      deadlineMs: 600_000,
      default: "the call fails",
      about: { toolName: "echo", toolCallId: "t1" },
    });
    pending.open({ kind: "trust", deadlineMs: 120_000, default: "not trusted", about: { title: "/project" } });
    expect(pending.list()).toEqual([
      {
        kind: "dialog",
        id: "ui_1",
        since: EPOCH,
        deadline: EPOCH + 1000,
        default: "nothing",
        method: "confirm",
        title: "Sure?",
      },
      {
        kind: "host_tool",
        id: "host_1",
        since: EPOCH + 5,
        deadline: EPOCH + 600_005,
        default: "the call fails",
        toolName: "echo",
        toolCallId: "t1",
      },
      {
        kind: "trust",
        id: "trust_1",
        since: EPOCH + 5,
        deadline: EPOCH + 120_005,
        default: "not trusted",
        title: "/project",
      },
    ]);
  });

  test("is a copy", () => {
    const { pending } = createTable();
    pending.open(dialog);
    pending.list()[0]!.deadline = 0;
    expect(pending.list()[0]!.deadline).toBe(EPOCH + 1000);
  });
});

test("ids are unique, including those of frames that expect no answer", () => {
  const { pending } = createTable();
  const ids = [
    pending.open(dialog).id,
    pending.open(dialog).id,
    pending.open({ ...dialog, kind: "host_tool" }).id,
    pending.open({ ...dialog, kind: "trust" }).id,
    pending.nextId("ui"),
    pending.nextId("host_cancel"),
  ];
  expect(ids).toEqual(["ui_1", "ui_2", "host_1", "trust_1", "ui_3", "host_cancel_1"]);
});

test("ids of questions for several hosts cannot be guessed", () => {
  const pending = new PendingCalls();
  const kinds = ["dialog", "trust", "approval", "budget", "mcp_auth"] as const;
  for (const kind of kinds) {
    const ids = [pending.open({ ...dialog, kind }).id, pending.open({ ...dialog, kind }).id];
    for (const id of ids) expect(id).toMatch(/^[a-z]+_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(ids[0]).not.toBe(ids[1]);
  }
  pending.hostGone();
});

test("a timer that fires after it was cancelled has no effect", () => {
  const fired: (() => void)[] = [];
  const start = (run: () => void) => {
    fired.push(run);
    return () => {};
  };
  const pending = new PendingCalls({ timers: { now: () => 0, start, soon: queueMicrotask }, now: () => EPOCH });
  const first = pending.open(dialog);
  pending.answer("dialog", first.id, { value: "x" });
  const second = pending.open(dialog);
  fired[0]!();
  expect(pending.list().map(({ id }) => id)).toEqual([second.id]);
});

test("a thousand requests leave nothing behind", async () => {
  const { pending, timers } = createTable();
  const run = new CountedSignal();
  const waits = Array.from({ length: 1000 }, (_, index) => {
    const wait = pending.open({ ...dialog, kind: "host_tool", deadlineMs: 1000 + index, signals: [run.signal] });
    if (index % 3 === 0) pending.answer("host_tool", wait.id, {});
    if (index % 5 === 0) pending.update("host_tool", wait.id, {});
    return wait;
  });
  timers.advance(1500);
  run.abort();
  await Promise.all(waits.map(({ ended }) => ended));
  expect({ list: pending.list(), timers: timers.pendingCount, listeners: run.listenerCount }).toEqual({
    list: [],
    timers: 0,
    listeners: 0,
  });
});
