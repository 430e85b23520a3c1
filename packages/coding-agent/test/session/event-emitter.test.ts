import { expect, test } from "bun:test";
import type { AgentMessage } from "@pintle/agent";
import { SessionEmitter } from "../../src/session/event-emitter.ts";
import type { AgentSessionEvent } from "../../src/session/session-events.ts";

const message: AgentMessage = { role: "user", content: "x", timestamp: 1 };

test("the end of a message that cannot be stored is told to nobody; that it failed is", () => {
  const told: AgentSessionEvent[] = [];
  const emitter = new SessionEmitter((event) => {
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
