import type { AssistantMessage, ToolResultMessage } from "@pintle/ai";
import type { AgentMessage } from "../messages.ts";

interface Ended {
  message: AgentMessage;
  /** A retry may withdraw a failed answer and its synthetic results. */
  mayLeave: boolean;
}

/** What the last event of a run has to list: every message that ended in it, results in the order of the calls. */
export class RunMessages {
  #ended: Ended[] = [];

  clear(): void {
    this.#ended = [];
  }

  injected(message: AgentMessage): void {
    this.#ended.push({ message, mayLeave: false });
  }

  turn(message: AssistantMessage, results: readonly ToolResultMessage[]): void {
    const mayLeave = message.stopReason === "error" || message.stopReason === "aborted";
    for (const part of [message, ...results]) this.#ended.push({ message: part, mayLeave });
  }

  /** Returns what is wrong with the list, if anything. */
  compare(listed: readonly AgentMessage[]): string | undefined {
    let at = 0;
    for (const { message, mayLeave } of this.#ended) {
      if (isSame(listed[at], message)) at += 1;
      else if (!mayLeave) return `message ${at} of the list is not the ${message.role} message that ended then`;
    }
    return at < listed.length ? `the list has ${listed.length} messages, of which ${at} ended in this run` : undefined;
  }
}

/** Also works for messages that went over a wire. */
export function isSame(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
