import type { AgentEvent } from "../../src/events.ts";
import type { AgentMessage } from "../../src/messages.ts";

const SHORT: Partial<Record<AgentMessage["role"], string>> = { user: "U", assistant: "A", toolResult: "T" };

/**
 * Events in a short notation: ms/me message_start/_end, mu message_update, ts/te turn_start/_end, xs/xu/xe
 * tool_execution_start/_update/_end, U/A/T user/assistant/toolResult; `!` marks an error.
 */
export function notation(events: readonly AgentEvent[]): string[] {
  return events.map(note);
}

/** The same with consecutive updates of a message written once, as `mu*`. */
export function shortNotation(events: readonly AgentEvent[]): string[] {
  return notation(events)
    .map((word) => (word.startsWith("mu:") ? "mu*" : word))
    .filter((word, index, words) => word !== "mu*" || words[index - 1] !== "mu*");
}

/** A list of such words as one string. */
export function words(expected: string): string[] {
  return expected.split(/\s+/).filter((word) => word !== "");
}

function note(event: AgentEvent): string {
  switch (event.type) {
    case "agent_start":
      return "agent_start";
    case "agent_end":
      return `agent_end(${event.stopReason})`;
    case "turn_start":
      return "ts";
    case "turn_end":
      return "te";
    case "message_start":
      return `ms(${roleOf(event.message)})`;
    case "message_update":
      return `mu:${event.assistantMessageEvent.type}`;
    case "message_end":
      return `me(${describeEnd(event.message)})`;
    case "tool_execution_start":
      return `xs:${event.toolCallId}`;
    case "tool_execution_update":
      return `xu:${event.toolCallId}`;
    case "tool_execution_end":
      return `xe:${event.toolCallId}${event.isError ? "!" : ""}`;
  }
}

function roleOf(message: AgentMessage): string {
  return SHORT[message.role] ?? message.role;
}

function describeEnd(message: AgentMessage): string {
  return message.role === "assistant" ? `A:${message.stopReason}` : roleOf(message);
}
