import { expect, test } from "bun:test";
import type { AgentMessage } from "@pintle/agent";
import { type AssistantMessage, zeroUsage } from "@pintle/ai";
import type { AgentSessionEvent } from "@pintle/wire";
import { SessionEmitter, type SessionListener } from "../../../src/session/conversation/event-emitter.ts";

const message: AgentMessage = { role: "user", content: "x", timestamp: 1 };
const answer: AssistantMessage = {
  role: "assistant",
  content: [],
  stopReason: "stop",
  timestamp: 1,
  api: "a",
  provider: "p",
  model: "m",
  usage: zeroUsage(),
};

function emitterWith(recorder: SessionListener): SessionEmitter {
  const emitter = new SessionEmitter();
  emitter.recordWith(recorder);
  return emitter;
}

test("the end of a message that cannot be stored is not emitted; the failure is", () => {
  const told: AgentSessionEvent[] = [];
  const emitter = emitterWith((event) => {
    if (event.type === "message_end") throw new Error("no room");
  });
  emitter.subscribe((event) => told.push(event));
  emitter.emit({ type: "message_start", message });
  expect(() => emitter.emit({ type: "message_end", message })).toThrow("no room");
  const text = "A message of the role user could not be stored: no room";
  expect(told).toEqual([
    { type: "message_start", message },
    { type: "notice", level: "error", message: text, source: "session" },
  ]);
});

test("what storing an event causes is emitted before it, and only to listeners for storage", () => {
  const mirror: string[] = [];
  const others: string[] = [];
  const emitter: SessionEmitter = emitterWith((event) => {
    if (event.type !== "message_end") return;
    emitter.emit({ type: "entry_appended", entry: { type: "message", id: "e", parentId: null, timestamp: "t" } });
    emitter.emit({ type: "message_appended", message });
  });
  emitter.subscribe(({ type }) => mirror.push(type), { storage: true });
  emitter.subscribe(({ type }) => others.push(type));
  emitter.emit({ type: "message_start", message });
  emitter.emit({ type: "message_end", message });
  emitter.emit({ type: "agent_start" });
  expect(mirror).toEqual(["message_start", "entry_appended", "message_appended", "message_end", "agent_start"]);
  expect(others).toEqual(["message_start", "message_end", "agent_start"]);
});

test("only subscribed listeners receive the pieces of an answer; everything else goes to all", () => {
  const all: string[] = [];
  const few: string[] = [];
  const emitter = new SessionEmitter();
  const leave = emitter.subscribe(({ type }) => few.push(type), { updates: false });
  emitter.subscribe(({ type }) => all.push(type));
  const assistantMessageEvent = { type: "text_delta", contentIndex: 0, delta: "a", partial: answer } as const;
  const update = { type: "message_update", message: answer, assistantMessageEvent } as const;
  for (const event of [{ type: "agent_start" }, update] as const) emitter.emit(event);
  leave();
  for (const event of [{ type: "agent_start" }, update] as const) emitter.emit(event);
  expect(all).toEqual(["agent_start", "message_update", "agent_start", "message_update"]);
  expect(few).toEqual(["agent_start"]);
});

test("listeners that are added or removed during an event do not change who receives it", () => {
  const told: string[] = [];
  const emitter = new SessionEmitter();
  const leave = emitter.subscribe(() => {
    told.push("first");
    leave();
    emitter.subscribe(() => told.push("third"));
  });
  emitter.subscribe(() => told.push("second"));
  emitter.emit({ type: "agent_start" });
  expect(told.splice(0)).toEqual(["first", "second"]);
  emitter.emit({ type: "agent_start" });
  expect(told).toEqual(["second", "third"]);
});
