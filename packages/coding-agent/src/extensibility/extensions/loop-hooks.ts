import type { AgentMessage, LoopHooks, ToolCallDecision } from "@pintle/agent";
import type { ToolCall } from "@pintle/ai";
import { describeThrown } from "../modules/load-fault.ts";
import { askHandlers, type Callers, callHandler } from "./call-handler.ts";
import type { EventAnswer, EventName } from "./event-types.ts";

/** The hooks inside a run. One that nobody handles is not there, so nothing is copied for it. */
export function createLoopHooks(callers: Callers): LoopHooks {
  const { handlers, limits, replaced } = callers;
  const isWanted = (event: EventName) => handlers.has(event) || replaced() !== undefined;
  const hooks: Required<LoopHooks> = {
    async context(messages) {
      let current = copyOf(messages);
      await askHandlers(
        callers,
        "context",
        () => ({ messages: current }),
        ({ messages: next }) => {
          if (next === undefined) return;
          if (!Array.isArray(next)) throw new Error("messages must be a list");
          current = next;
        },
      );
      return current;
    },
    toolCall: (call) => decideOnCall(callers, call),
    async toolResult({ id, name, arguments: input }, result) {
      const patch: EventAnswer<"tool_result"> = {};
      const fields = () => {
        const { content, details, isError = false } = { ...result, ...patch };
        return { toolCallId: id, toolName: name, input: { ...input }, content: [...content], details, isError };
      };
      await askHandlers(callers, "tool_result", fields, ({ content, details, isError }) => {
        if (content !== undefined && !Array.isArray(content)) throw new Error("content must be a list");
        if (content !== undefined) patch.content = content;
        if (details !== undefined) patch.details = details;
        if (isError !== undefined) patch.isError = isError;
      });
      return Object.keys(patch).length > 0 ? patch : undefined;
    },
    async messageEnd(message) {
      let current = copyOf(message);
      let isReplaced = false;
      const endsAt = performance.now() + limits.messageEndMs;
      await askHandlers(
        callers,
        "message_end",
        () => ({ message: current }),
        ({ message: next }) => {
          if (next === undefined) return;
          requireSameKind(next, message);
          current = next;
          isReplaced = true;
        },
        () => Math.max(0, endsAt - performance.now()),
      );
      return isReplaced ? current : undefined;
    },
  };
  return {
    get context() {
      return isWanted("context") ? hooks.context : undefined;
    },
    get toolCall() {
      return isWanted("tool_call") ? hooks.toolCall : undefined;
    },
    get toolResult() {
      return isWanted("tool_result") ? hooks.toolResult : undefined;
    },
    get messageEnd() {
      return isWanted("message_end") ? hooks.messageEnd : undefined;
    },
  };
}

/** Fails closed: a handler that cannot answer blocks the call. */
async function decideOnCall(
  { handlers, limits, report, replaced }: Callers,
  { id, name, arguments: sent }: ToolCall,
): Promise<ToolCallDecision | undefined> {
  await replaced();
  const event = { type: "tool_call", toolCallId: id, toolName: name, input: structuredClone(sent) };
  for (const subscriber of handlers.of("tool_call")) {
    try {
      const answer = (await callHandler(subscriber, event, limits.usualMs)) as EventAnswer<"tool_call"> | undefined;
      if (answer?.block) return { block: true, ...(answer.reason !== undefined && { reason: String(answer.reason) }) };
      if (answer?.input !== undefined) event.input = answer.input;
    } catch (thrown) {
      const error = describeThrown(thrown);
      report({ path: subscriber.instance.path, event: "tool_call", error });
      return { block: true, reason: error };
    }
  }
  return Bun.deepEquals(event.input, sent) ? undefined : { arguments: event.input };
}

/** Handlers like to write into what they get. */
function copyOf<T extends AgentMessage | AgentMessage[]>(messages: T): T {
  try {
    return structuredClone(messages);
  } catch {
    return JSON.parse(JSON.stringify(messages)) as T; // some tool put a function into its details
  }
}

function requireSameKind(next: AgentMessage, message: AgentMessage): void {
  if (next?.role !== message.role) throw new Error(`the role of the message must stay "${message.role}"`);
  if (!("content" in message)) return;
  const { content } = next as { content?: unknown };
  const mayBeText = message.role !== "assistant" && message.role !== "toolResult";
  if (!Array.isArray(content) && !(mayBeText && typeof content === "string")) {
    throw new Error("the content of the message is missing");
  }
}
