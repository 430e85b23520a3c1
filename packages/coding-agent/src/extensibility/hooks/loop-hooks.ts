import type { AgentMessage, HookedCall, LoopHooks, ToolAnnotations, ToolCallDecision } from "@pintle/agent";
import { requireContent } from "../api/content-blocks.ts";
import type { EventAnswer, EventName } from "../api/event-types.ts";
import { describeThrown } from "../loading/load-fault.ts";
import { askHandlers, type Callers, callHandler } from "./call-handler.ts";

/** Creates the hooks for a run. A hook without handlers is absent, so nothing is copied for it. */
export function createLoopHooks(callers: Callers, systemPrompt: () => string): LoopHooks {
  const { handlers, limits, replaced } = callers;
  const isWanted = (event: EventName) => handlers.has(event) || replaced() !== undefined;
  const hooks: { [K in keyof LoopHooks]-?: NonNullable<LoopHooks[K]> } = {
    async context(messages) {
      let current = copyOf(messages);
      await askHandlers(
        callers,
        "context",
        () => ({ messages: current }),
        ({ messages: next }) => {
          if (next === undefined) return;
          requireMessages(next);
          current = next;
        },
      );
      return handlers.has("context_with_system") ? withSystem(callers, current, systemPrompt()) : current;
    },
    toolCall: (call, _signal, annotations) => decideOnCall(callers, call, annotations),
    async toolResult({ id, name, arguments: input, parentToolCallId }, result) {
      const patch: EventAnswer<"tool_result"> = {};
      const fields = () => {
        const { content, details, isError = false } = { ...result, ...patch };
        const call = { toolCallId: id, toolName: name, ...(parentToolCallId !== undefined && { parentToolCallId }) };
        return { ...call, input: { ...input }, content: [...content], details, isError };
      };
      await askHandlers(callers, "tool_result", fields, ({ content, details, isError }) => {
        if (content !== undefined) requireContent("toolResult", content);
        if (content !== undefined) patch.content = content;
        if (details !== undefined) patch.details = details;
        if (isError !== undefined) patch.isError = Boolean(isError);
      });
      return Object.keys(patch).length > 0 ? patch : undefined;
    },
    async messageEnd(message) {
      let current = copyOf(message);
      let isReplaced = false;
      const clocks = new Set(handlers.of("message_end").map(({ instance }) => instance.dialogs));
      // All handlers share the time limit, which excludes their dialogs and starts with the first handler.
      const worked = () => performance.now() - [...clocks].reduce((sum, clock) => sum + clock.waitedMs, 0);
      let endsAt: number | undefined;
      const leftMs = () => {
        const now = worked();
        endsAt ??= now + limits.messageEndMs;
        return Math.max(0, endsAt - now);
      };
      await askHandlers(
        callers,
        "message_end",
        () => ({ message: current }),
        ({ message: next }) => {
          if (next === undefined) return;
          current = sameKind(next, message);
          isReplaced = true;
        },
        leftMs,
      );
      return isReplaced ? current : undefined;
    },
  };
  return {
    get context() {
      return isWanted("context") || isWanted("context_with_system") ? hooks.context : undefined;
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

/** Shows the system prompt to handlers as a message; their changes to it are discarded. */
async function withSystem(callers: Callers, messages: AgentMessage[], systemPrompt: string): Promise<AgentMessage[]> {
  const system = { role: "system" as const, content: systemPrompt };
  let current = messages;
  await askHandlers(
    callers,
    "context_with_system",
    () => ({ messages: [system, ...current] }),
    ({ messages: next }) => {
      if (next === undefined) return;
      requireMessages(next);
      current = next.filter((message) => message.role !== "system");
    },
  );
  return current;
}

/** Fails closed: a handler that cannot answer blocks the call. */
async function decideOnCall(
  { handlers, limits, report, replaced, runSignal }: Callers,
  { id, name, arguments: sent, parentToolCallId }: HookedCall,
  annotations: ToolAnnotations | undefined,
): Promise<ToolCallDecision | undefined> {
  await replaced();
  const signal = runSignal();
  const event = {
    type: "tool_call",
    toolCallId: id,
    toolName: name,
    ...(parentToolCallId !== undefined && { parentToolCallId }),
    input: structuredClone(sent),
    ...(annotations && { annotations: { ...annotations } }),
  };
  for (const subscriber of handlers.of("tool_call")) {
    try {
      const answer = (await callHandler(subscriber, event, limits.usualMs, signal)) as
        | EventAnswer<"tool_call">
        | undefined;
      if (answer?.block) return { block: true, ...(answer.reason !== undefined && { reason: String(answer.reason) }) };
      if (answer?.input !== undefined) event.input = answer.input;
    } catch (thrown) {
      const error = describeThrown(thrown);
      if (!signal?.aborted) report({ path: subscriber.instance.path, event: "tool_call", error });
      return { block: true, reason: error };
    }
  }
  return Bun.deepEquals(event.input, sent) ? undefined : { arguments: event.input };
}

/** Copies messages, because handlers may modify what they receive. */
function copyOf<T extends AgentMessage | AgentMessage[]>(messages: T): T {
  try {
    return structuredClone(messages);
  } catch {
    return JSON.parse(JSON.stringify(messages)); // the details of a tool result contain a function
  }
}

/** Fields that a message of its role cannot lack. */
const ESSENTIAL = [
  "timestamp",
  "attribution",
  "toolCallId",
  "toolName",
  "isError",
  "customType",
  "display",
  "api",
  "provider",
  "model",
  "usage",
  "stopReason",
];

/** Returns a handler's replacement for a message. Throws if it does not have the same role. */
function sameKind(next: AgentMessage, message: AgentMessage): AgentMessage {
  if (next?.role !== message.role) throw new Error(`the role of the message must stay "${message.role}"`);
  if ("content" in message) requireContent(message.role, Object(next).content);
  const kept = Object.entries(message).filter(([key]) => ESSENTIAL.includes(key));
  return { ...Object.fromEntries(kept), ...next };
}

/** Other roles have their own kinds of blocks, which are checked when they are sent. */
const WITH_CONTENT = new Set(["user", "developer", "assistant", "toolResult", "custom"]);

function requireMessages(messages: unknown): void {
  if (!Array.isArray(messages)) throw new Error("messages must be a list");
  for (const message of messages) {
    const { role, content }: { role?: unknown; content?: unknown } = Object(message);
    if (typeof role !== "string") throw new Error("a message needs a role");
    if (WITH_CONTENT.has(role)) requireContent(role, content);
  }
}
