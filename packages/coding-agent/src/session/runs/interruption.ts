import { type AgentMessage, type RunStopReason, syntheticDetails } from "@pintle/agent";
import { type AssistantMessage, cutText, type ToolResultMessage, textsOf } from "@pintle/ai";
import type { AgentSessionEvent, Interruption } from "@pintle/wire";
import type { OpenConversation } from "../conversation/open-conversation.ts";

const MAX_PROMPT = 200;

type Cause = Interruption["cause"];
type RunMessage = Extract<AgentMessage, { role: "user" | "assistant" | "toolResult" }>;

/** The causes, by stop reason, of answers that end a run on their own. */
const ENDED_EARLY: Partial<Record<AssistantMessage["stopReason"], Cause>> = {
  aborted: "aborted",
  error: "error",
  length: "length",
};

/** Where a run stopped, without the entry of its prompt. */
export type FoundInterruption = Omit<Interruption, "promptEntryId">;

export interface InterruptionsParts {
  conversation: Pick<OpenConversation, "log" | "manager">;
  isRunning(): boolean;
  emit(event: AgentSessionEvent): void;
}

/** Finds out whether the last run of the open conversation finished. What this process observed takes precedence. */
export class Interruptions {
  readonly #parts: InterruptionsParts;
  /** How a run ended, by its last message. */
  readonly #seen = new WeakMap<AgentMessage, RunStopReason>();

  constructor(parts: InterruptionsParts) {
    this.#parts = parts;
  }

  readonly observe = (event: AgentSessionEvent): void => {
    if (event.type !== "agent_end") return;
    const last = event.messages.findLast(isOfRun);
    if (last) this.#seen.set(last, event.stopReason);
  };

  /** Returns undefined while a run is active, or if the last one finished. */
  get current(): Interruption | undefined {
    const found = this.#parts.isRunning() ? undefined : this.find();
    const { log, manager } = this.#parts.conversation;
    const prompt = found && promptOf(log.messages);
    const promptEntryId = prompt && manager.entryIdOf(prompt);
    return found && { ...found, ...(promptEntryId !== undefined && { promptEntryId }) };
  }

  /** Emits a notice about the place where an opened session stopped. */
  notify(): void {
    const found = this.find();
    if (!found) return;
    const level = found.cause === "lost" ? "warning" : "info";
    this.#parts.emit({ type: "notice", level, message: interruptionText(found), source: "session" });
  }

  /** Returns where the last run stopped, or undefined if it finished or there was none. */
  find(): FoundInterruption | undefined {
    const { messages } = this.#parts.conversation.log;
    const last = messages.findLast(isOfRun);
    const seen = last && this.#seen.get(last);
    if (!last || seen === "stop") return undefined;
    const { calls, results } = lastTurn(messages);
    const hasOpenCalls = calls.some(({ id }) => !results.has(id));
    const cause = seen === "aborted" ? "aborted" : causeOf(last, { hasOpenCalls, results });
    if (!cause) return undefined;
    const uncertain = calls.filter(({ id }) => isUncertain(results.get(id), cause));
    const prompt = promptOf(messages);
    const text = prompt && cutText(textsOf(prompt.content).join("\n"), MAX_PROMPT);
    return {
      cause,
      ...(text && { prompt: text }),
      uncertain: uncertain.map(({ id, name }) => ({ toolCallId: id, toolName: name })),
    };
  }
}

/** Returns the user's newest message. */
function promptOf(messages: readonly AgentMessage[]): Extract<AgentMessage, { role: "user" }> | undefined {
  return messages.findLast((message) => message.role === "user");
}

/** Returns false for messages that join a conversation from outside a run. */
function isOfRun(message: AgentMessage): message is RunMessage {
  return message.role === "user" || message.role === "assistant" || message.role === "toolResult";
}

/** Returns the calls of the newest answer and their results, unless a user message follows it. */
function lastTurn(messages: readonly AgentMessage[]) {
  const at = messages.findLastIndex(({ role }) => role === "assistant" || role === "user");
  const answer = messages[at];
  const results = new Map<string, ToolResultMessage>();
  if (answer?.role !== "assistant") return { calls: [], results };
  for (const message of messages.slice(at)) if (message.role === "toolResult") results.set(message.toolCallId, message);
  return { calls: answer.content.filter((block) => block.type === "toolCall"), results };
}

/**
 * Whether the effect of a call is unknown. In an aborted run, a call may have failed because of the abort; tools report
 * that differently.
 */
function isUncertain(result: ToolResultMessage | undefined, cause: Cause): boolean {
  return !result || (cause === "aborted" && result.isError && syntheticDetails(result)?.executed !== false);
}

function causeOf(
  last: RunMessage,
  { hasOpenCalls, results }: { hasOpenCalls: boolean; results: ReadonlyMap<string, ToolResultMessage> },
): Cause | undefined {
  if (last.role === "assistant") return ENDED_EARLY[last.stopReason] ?? (hasOpenCalls ? "lost" : undefined);
  const isStopped = [...results.values()].some((result) => syntheticDetails(result)?.source === "aborted");
  return isStopped ? "aborted" : "lost";
}

const WORDS: Record<Cause, string> = {
  aborted: "was aborted",
  error: "ended with an error",
  length: "ended at the output limit",
  lost: "was interrupted: its process ended",
};

/** Describes the interruption to the user who opens the session. */
export function interruptionText({ cause, prompt, uncertain }: FoundInterruption): string {
  const about = prompt === undefined ? "" : ` It was at work on: ${JSON.stringify(cutText(prompt, 80))}.`;
  const names = uncertain.map(({ toolName, toolCallId }) => `${toolName} (${toolCallId})`).join(", ");
  const open = names === "" ? "" : ` What these calls did is uncertain: ${names}.`;
  return `The last run ${WORDS[cause]}.${about}${open}`;
}

/** Returns what the model needs to know to continue, or undefined if the conversation contains it. */
export function continuationNote({ cause, uncertain }: FoundInterruption): string | undefined {
  if (uncertain.length > 0) {
    const names = [...new Set(uncertain.map(({ toolName }) => toolName))].join(", ");
    return `The work was interrupted while tools ran (${names}). Check what they did before you rely on it or do it again, then continue the task.`;
  }
  // Without the note, the partial answer would be the last message, which providers refuse or continue literally.
  if (cause === "aborted") return "The last answer was interrupted. Continue the task where it stopped.";
  if (cause === "length") return "The last answer hit the output limit. Continue where it stopped.";
  return undefined;
}
