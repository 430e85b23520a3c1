import { type AssistantMessage, cutText } from "@pintle/ai";
import type { AgentSessionEvent } from "@pintle/wire";
import { textOf } from "./answer-text.ts";
import type { Screen } from "./screen.ts";
import { terminalLine, terminalText } from "./terminal-text.ts";

/** How much is printed about a run in addition to its answer. */
export interface Talk {
  /** Failures that pintle recovers from, and notices. `--quiet` turns them off. */
  hasNotices: boolean;
  /** One line per tool call and compaction, for a user who is watching. */
  hasProgress: boolean;
}

type Handlers = {
  [T in AgentSessionEvent["type"]]?: (event: Extract<AgentSessionEvent, { type: T }>) => void;
};

/** Shows the events of a run. `describeModel` describes the model and where its key comes from. */
export function showProgress(
  screen: Screen,
  { hasNotices, hasProgress }: Talk,
  describeModel: () => string,
): (event: AgentSessionEvent) => void {
  const running = new Map<string, string>();
  let hasStreamed = false;
  const progress = (text: string) => hasProgress && screen.progress(text);
  const notice = (text: string) => hasNotices && screen.line(`pintle: ${terminalText(text)}`);
  const waitFor = (activity: string) => hasProgress && screen.activity(running.values().next().value ?? activity);
  const endMessage = (message: AssistantMessage) => {
    // Not every model streams its answer.
    if (screen.isStreaming && !hasStreamed) screen.text(textOf(message));
    if (screen.isStreaming) screen.endText();
    waitFor("working");
  };

  const handlers: Handlers = {
    agent_start: () => waitFor("waiting for the model"),
    agent_end: () => screen.activity(undefined),
    message_start({ message }) {
      if (message.role !== "assistant") return;
      hasStreamed = false;
      waitFor("waiting for the model");
    },
    message_update({ assistantMessageEvent: update }) {
      if (update.type === "text_delta") {
        if (screen.isStreaming) screen.text(update.delta);
        hasStreamed = true;
      }
      if (update.type === "text_start" && !screen.isStreaming) waitFor("answering");
      if (update.type === "thinking_start") waitFor("thinking");
      if (update.type === "toolcall_start") waitFor(`writing a call of ${terminalLine(update.toolCall.name)}`);
    },
    message_end({ message }) {
      if (message.role === "assistant") endMessage(message);
    },
    tool_execution_start({ toolCallId, toolName, args }) {
      const line = callLine(toolName, args);
      running.set(toolCallId, line);
      progress(`> ${line}`);
      waitFor(line);
    },
    tool_execution_end({ toolCallId, toolName, isError, result }) {
      running.delete(toolCallId);
      const [block] = result.content;
      // The end of long output says more about a failure than its beginning.
      const reason = block?.type === "text" ? `: ${terminalLine(block.text.trimEnd().split("\n").at(-1) ?? "")}` : "";
      if (isError) progress(`  ${terminalLine(toolName)} failed${reason}`);
      waitFor("waiting for the model");
    },
    auto_retry_start({ attempt, maxAttempts, delayMs, errorMessage }) {
      const when = `trying again in ${Math.ceil(delayMs / 1000)} s (attempt ${attempt} of ${maxAttempts})`;
      notice(`${describeModel()}: ${terminalLine(errorMessage)}; ${when}`);
      waitFor("waiting before the next attempt");
    },
    retry_fallback_applied: ({ from, to }) => notice(`${from} has failed; ${to} goes on`),
    ttsr_triggered: ({ rules }) =>
      progress(`rule ${rules.map(({ name }) => terminalLine(name)).join(", ")}: the answer is requested again`),
    auto_compaction_start: () => waitFor("compacting the history"),
    auto_compaction_end({ result, skipped, aborted, errorMessage }) {
      if (result) progress(`compacted the history (${Math.round(result.tokensBefore / 1000)}k tokens before)`);
      else if (!skipped && !aborted) notice(`the history could not be compacted: ${terminalLine(errorMessage ?? "")}`);
      waitFor("working");
    },
    notice({ level, message }) {
      if (level === "error") screen.line(`pintle: ${terminalText(message)}`);
      else notice(message);
    },
    extension_error: ({ extensionPath, error }) => screen.line(`pintle: ${terminalText(`${extensionPath}: ${error}`)}`),
  };
  return (event) => (handlers[event.type] as ((event: AgentSessionEvent) => void) | undefined)?.(event);
}

const MAX_VALUE = 120;

/**
 * Formats a tool call on one line: its name and its string arguments, in the order of the call. Shortens the first argument
 * to one line. Omits other arguments with several lines, because they are file content or the like.
 */
export function callLine(toolName: string, args: object): string {
  const texts = Object.values(args).filter((value) => typeof value === "string" && value.trim() !== "");
  const shown = texts.filter((text, index) => index === 0 || !text.trim().includes("\n"));
  return [terminalLine(toolName), ...shown.map((text) => shorten(terminalLine(text)))].join(" ");
}

function shorten(text: string): string {
  return cutText(text, MAX_VALUE);
}
