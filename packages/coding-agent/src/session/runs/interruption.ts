import { type AgentMessage, type RunStopReason, syntheticDetails } from "@pintle/agent";
import { type AssistantMessage, cutText, type ToolResultMessage, textsOf } from "@pintle/ai";
import type { AgentSessionEvent, Interruption } from "@pintle/wire";

const MAX_PROMPT = 200;

type Cause = Interruption["cause"];
type RunMessage = Extract<AgentMessage, { role: "user" | "assistant" | "toolResult" }>;

/** Of answers that end a run by themselves. */
const ENDED_EARLY: Partial<Record<AssistantMessage["stopReason"], Cause>> = {
  aborted: "aborted",
  error: "error",
  length: "length",
};

/** Finds out from a conversation whether its last run came to its end. What this process saw itself counts first. */
export class Interruptions {
  /** By the last message of a run: how that run ended. */
  readonly #seen = new WeakMap<AgentMessage, RunStopReason>();

  readonly observe = (event: AgentSessionEvent): void => {
    if (event.type !== "agent_end") return;
    const last = event.messages.findLast(isOfRun);
    if (last) this.#seen.set(last, event.stopReason);
  };

  /** Undefined if it did, or there was none. */
  find(messages: readonly AgentMessage[]): Omit<Interruption, "promptEntryId"> | undefined {
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

/** What the user asked last. */
export function promptOf(messages: readonly AgentMessage[]): Extract<AgentMessage, { role: "user" }> | undefined {
  return messages.findLast((message) => message.role === "user");
}

/** Others join a conversation from outside of a run, too. */
function isOfRun(message: AgentMessage): message is RunMessage {
  return message.role === "user" || message.role === "assistant" || message.role === "toolResult";
}

/** The calls of the newest answer, unless the user spoke after it, and what came of them. */
function lastTurn(messages: readonly AgentMessage[]) {
  const at = messages.findLastIndex(({ role }) => role === "assistant" || role === "user");
  const answer = messages[at];
  const results = new Map<string, ToolResultMessage>();
  if (answer?.role !== "assistant") return { calls: [], results };
  for (const message of messages.slice(at)) if (message.role === "toolResult") results.set(message.toolCallId, message);
  return { calls: answer.content.filter((block) => block.type === "toolCall"), results };
}

/** Of a call that fails in a run that was aborted, the abort may be the reason: tools say that in words of their own. */
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

/** For a person who opens the session. */
export function interruptionText({ cause, prompt, uncertain }: Omit<Interruption, "promptEntryId">): string {
  const about = prompt === undefined ? "" : ` It was at work on: ${JSON.stringify(cutText(prompt, 80))}.`;
  const names = uncertain.map(({ toolName, toolCallId }) => `${toolName} (${toolCallId})`).join(", ");
  const open = names === "" ? "" : ` What these calls did is uncertain: ${names}.`;
  return `The last run ${WORDS[cause]}.${about}${open}`;
}

/** What the model has to know to continue; undefined if the conversation contains it all. */
export function continuationNote({ cause, uncertain }: Omit<Interruption, "promptEntryId">): string | undefined {
  if (uncertain.length > 0) {
    const names = [...new Set(uncertain.map(({ toolName }) => toolName))].join(", ");
    return `The work was interrupted while tools ran (${names}). Check what they did before you rely on it or do it again, then go on with the task.`;
  }
  // Without it the answer so far would be the last message, which providers refuse or take for the beginning of the next.
  if (cause === "aborted") return "The last answer was interrupted. Go on with the task where it stopped.";
  if (cause === "length") return "The last answer hit the output limit. Go on where it stopped.";
  return undefined;
}
