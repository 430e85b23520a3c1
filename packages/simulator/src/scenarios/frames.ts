import type { Frame, Step } from "../scenario.ts";

// Frames as pintle writes them, with the minimum that the contract requires.

const NO_USAGE = {
  input: 10,
  output: 5,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 15,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

export const ready = (more: Frame = {}): Step => ({
  send: {
    type: "ready",
    version: "0.1.0",
    protocolVersion: 1,
    supportedProtocolVersions: [1],
    sessionId: "simulated",
    trust: "none",
    sandbox: { mode: "off", strength: "none" },
    capabilities: ["update_mode", "paging", "entries", "pending", "resolve", "trust", "approvals"],
    ...more,
  },
});

/** What hosts request at the start. */
export const ANSWERS: Record<string, Frame> = {
  get_state: {
    sessionId: "simulated",
    thinkingLevel: "off",
    isStreaming: false,
    isSettled: true,
    isCompacting: false,
    steeringMode: "one-at-a-time",
    followUpMode: "one-at-a-time",
    interruptMode: "immediate",
    autoCompactionEnabled: true,
    messageCount: 0,
    pendingMessageCount: 0,
    queuedMessageCount: 0,
    todoPhases: [],
    model: { id: "simulated", name: "Simulated", provider: "simulated", api: "simulated", input: ["text"] },
  },
  get_messages: { messages: [] },
  get_available_models: { models: [] },
  get_available_commands: { commands: [] },
};

export const send = (frame: Frame): Step => ({ send: frame });

const user = { role: "user", content: [{ type: "text", text: "$prompt.message" }], timestamp: "$time" };

export function answer(content: Frame[], stopReason = "stop"): Frame {
  const origin = { api: "simulated", provider: "simulated", model: "simulated" };
  return { role: "assistant", content, ...origin, usage: NO_USAGE, stopReason, timestamp: "$time" };
}

export const text = (words: string): Frame => ({ type: "text", text: words });

/** Waits for a prompt, accepts it, and begins its run. */
export const promptAccepted: Step[] = [{ expect: { type: "prompt" }, as: "prompt" }, { respond: "prompt" }];
export const runBegins: Step[] = [
  send({ type: "agent_start" }),
  send({ type: "turn_start" }),
  send({ type: "message_start", message: user, messageId: "msg-1" }),
  send({ type: "message_end", message: user, messageId: "msg-1" }),
];

export const answerBegins: Step[] = [
  send({ type: "message_start", message: answer([]), messageId: "msg-2" }),
  update({ type: "text_start", contentIndex: 0 }),
];

/** A delta without the message so far, as in delta mode. */
export function update(event: Frame): Step {
  const empty = answer([]);
  return send({
    type: "message_update",
    messageId: "msg-2",
    message: empty,
    assistantMessageEvent: { ...event, partial: empty },
  });
}

export const delta = (words: string): Step => update({ type: "text_delta", contentIndex: 0, delta: words });

export function answerEnds(words: string): Step[] {
  const message = answer([text(words)]);
  return [
    update({ type: "text_end", contentIndex: 0, content: words }),
    send({ type: "message_end", message, messageId: "msg-2" }),
    send({ type: "turn_end", message, toolResults: [] }),
  ];
}

export function runEnds(message: Frame, stopReason = "stop"): Step[] {
  return [
    send({ type: "agent_end", messages: [user, message], stopReason }),
    send({ type: "agent_settled", aborted: stopReason === "aborted" }),
    send({ type: "prompt_result", id: "$prompt.id", agentInvoked: true, status: "completed", sessionSettled: true }),
  ];
}

/** Returns a whole run that answers with these words. */
export const says = (words: string): Step[] => [
  ...promptAccepted,
  ...runBegins,
  ...answerBegins,
  delta(words),
  ...answerEnds(words),
  ...runEnds(answer([text(words)])),
];
