import type { AgentMessage, AssistantMessage, AsyncJob, InputContent, RpcEventMap } from "@pintle/client";
import type { App } from "../app.ts";
import { type FeedItem, finishedItem } from "../feed/feed-item.ts";
import { MarkdownLines } from "../markdown/markdown-lines.ts";
import type { Theme } from "../screen/theme.ts";
import { shownText } from "../text/shown-text.ts";
import { wrapped } from "../text/wrap.ts";
import { AnswerView } from "./answer-view.ts";
import { bashItem } from "./bash-item.ts";
import { isJobResult, JobResults } from "./job-results.ts";
import { ToolRows } from "./tool-rows.ts";

/** Turns messages and events of one session into items of the feed. */
export class ConversationView {
  readonly #app: App;
  readonly #markdown: MarkdownLines;
  readonly #tools: ToolRows;
  readonly #jobs: JobResults;
  #answer: AnswerView | undefined;
  readonly #shown = new Set<string>();

  constructor(app: App) {
    this.#app = app;
    this.#markdown = new MarkdownLines(app.theme);
    this.#tools = new ToolRows(app);
    this.#jobs = new JobResults(app);
  }

  /** Shows a complete message from the history or an event. */
  show(message: AgentMessage): void {
    // The history may contain messages that events have already shown.
    const key = `${message.role} ${message.timestamp} ${message.role === "toolResult" ? message.toolCallId : ""}`;
    if (this.#shown.has(key)) return;
    this.#shown.add(key);
    const { feed, theme } = this.#app;
    if (message.role === "custom" && isJobResult(message)) {
      this.#jobs.show(message);
      return;
    }
    this.#jobs.messageCame({ isPrompt: message.role === "user" });
    switch (message.role) {
      case "user":
        if (!message.synthetic) feed.add(userItem(contentText(message.content), theme));
        break;
      case "assistant":
        this.#open().end(message);
        this.#answer = undefined;
        break;
      case "toolResult":
        this.#tools.end(message.toolCallId, message.toolName, message, message.durationMs);
        break;
      case "bashExecution":
        feed.add(bashItem(message, this.#app));
        break;
      case "custom":
        if (message.display) this.#app.say(contentText(message.content));
        break;
      case "compactionSummary":
        this.#app.say(`The earlier conversation was summarized (${message.tokensBefore} tokens).`);
        break;
      case "branchSummary":
        this.#app.say("The abandoned branch was summarized.");
        break;
    }
  }

  runStarted(): void {
    this.#jobs.runStarted();
  }

  jobEnded(job: AsyncJob): void {
    this.#jobs.ended(job);
  }

  started({ message }: RpcEventMap["message_start"]): void {
    if (message.role !== "assistant") return;
    this.#jobs.messageCame({ isPrompt: false });
    this.#open();
  }

  /** Shows a message that was already being written when the session was joined. */
  joined(message: AssistantMessage): void {
    this.#open().join(message);
    this.#app.feed.changed();
  }

  updated({ message, assistantMessageEvent }: RpcEventMap["message_update"]): void {
    // If the beginning of a message was missed, the first update contains everything so far.
    if (this.#answer) this.#answer.update(assistantMessageEvent);
    else this.joined(message);
  }

  toolStarted({ toolCallId, toolName, args }: RpcEventMap["tool_execution_start"]): void {
    this.#tools.start(toolCallId, toolName, args);
  }

  toolUpdated({ toolCallId, toolName, args, partialResult }: RpcEventMap["tool_execution_update"]): void {
    this.#tools.update(toolCallId, toolName, args, partialResult);
  }

  toolEnded(event: RpcEventMap["tool_execution_end"]): void {
    const { toolCallId, toolName, result, isError, isWarning, durationMs } = event;
    this.#tools.end(toolCallId, toolName, { ...result, isError, ...(isWarning && { isWarning }) }, durationMs);
  }

  /** Closes everything that is open after the end of a run. */
  close(): void {
    this.#answer?.close();
    this.#answer = undefined;
    this.#tools.dropAll();
  }

  #open(): AnswerView {
    this.#answer ??= new AnswerView(this.#app, this.#markdown, this.#tools);
    return this.#answer;
  }
}

function contentText(content: InputContent): string {
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "text" ? block.text : `[image ${block.mimeType}]`)).join("\n");
}

const MAX_LINES = 40;

/** Shows a message of the user, a long one only up to a limit. */
function userItem(text: string, theme: Theme): FeedItem {
  return finishedItem((width) => {
    const lines = shownText(text.trimEnd()).split("\n");
    const more = lines.length > MAX_LINES ? [theme.dim(`… ${lines.length - MAX_LINES} more lines`)] : [];
    const inner = Math.max(1, width - 2);
    const shown = lines.slice(0, MAX_LINES).flatMap((line) => wrapped(theme.user(theme.bold(line)), inner));
    const rows = [...shown, ...more].map((line, index) => `${index === 0 ? theme.user("❯") : " "} ${line}`);
    return ["", ...rows.map(theme.row("user"))];
  });
}
