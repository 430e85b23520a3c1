import type { AssistantMessage, ToolResultMessage } from "@pintle/ai";
import type { AgentEvent, AgentEventType } from "../events.ts";
import type { AgentMessage } from "../messages.ts";
import { AnswerBlocks } from "./answer-blocks.ts";
import { isSame, RunMessages } from "./run-messages.ts";

/** Frames around the agent's own events. Those without a place in the grammar may appear anywhere. */
type StreamEvent = AgentEvent | { type: string; [key: string]: unknown };
type EventOf<T extends AgentEventType> = Extract<AgentEvent, { type: T }>;

/**
 * Checks an event stream against its grammar: feed it every event, and it reports what is out of place.
 *
 *   run        := compaction? agent_start segment+ auto_retry_end? agent_end compaction? agent_settled
 *   segment    := turn (auto_retry_start | compaction | todo_reminder)?
 *   turn       := turn_start injected* assistant toolcall* turn_end
 *   injected   := message_start message_end
 *   assistant  := message_start message_update* ttsr_triggered? message_end auto_retry_end?
 *   toolcall   := tool_execution_start tool_execution_update* tool_execution_end message_start message_end
 *   compaction := auto_compaction_start auto_compaction_end
 *
 * Toolcalls of one turn may interleave, but the end of one and its result message stay together. Calls that a tool
 * makes begin and end inside its call, and have no result message.
 */
export class EventGrammar {
  readonly violations: string[] = [];
  readonly #expectSettled: boolean;
  #phase: "idle" | "run" | "turn" | "ended" = "idle";
  #count = 0;
  /** The last event that has a place in the grammar. */
  #previous = "";
  readonly #runMessages = new RunMessages();
  #mayRecover = false;
  #isCompacting = false;
  #isRetrying = false;
  #openMessage: { message: AgentMessage; blocks: AnswerBlocks } | undefined;
  #answer: AssistantMessage | undefined;
  #owedResult: string | undefined;
  #turnCount = 0;
  readonly #openCalls = new Set<string>();
  readonly #usedIds = new Set<string>();
  readonly #results = new Map<string, ToolResultMessage>();

  /** A bare agent has no agent_settled; a session has one per run. */
  constructor({ expectSettled }: { expectSettled: boolean }) {
    this.#expectSettled = expectSettled;
  }

  feed(event: StreamEvent): void {
    this.#count += 1;
    const rule = this.#rules[event.type];
    if (!rule) return;
    if (this.#owedResult !== undefined && event.type !== "message_start") {
      this.#fail(event, `the result message of ${this.#owedResult} must follow its end`);
    }
    if (this.#openMessage?.message.role === "toolResult" && event.type !== "message_end") {
      this.#fail(event, "inside of a result message");
    }
    if (this.#isCompacting && !event.type.endsWith("compaction_end")) this.#fail(event, "while compacting");
    if (this.#previous === "gave_up" && event.type !== "agent_end") this.#fail(event, "after the last retry gave up");
    if (this.#previous === "ttsr_triggered" && event.type !== "message_end") this.#fail(event, "after a stream rule");
    this.#previous = event.type;
    rule(event as never);
  }

  /** Everything that was opened must be closed by now. */
  finish(): string[] {
    const rest = this.#expectSettled ? ["idle"] : ["idle", "ended"];
    if (!rest.includes(this.#phase)) this.violations.push(`stream ends in phase ${this.#phase}`);
    if (this.#openMessage) this.violations.push(`message of role ${this.#openMessage.message.role} never ended`);
    if (this.#openCalls.size > 0) this.violations.push(`calls never ended: ${[...this.#openCalls].join(", ")}`);
    if (this.#isCompacting) this.violations.push("compaction never ended");
    if (this.#isRetrying) this.violations.push("auto_retry_start without auto_retry_end");
    return this.violations;
  }

  readonly #rules: Record<string, (event: never) => void> = {
    agent_start: (event: EventOf<"agent_start">) => {
      if (this.#expectSettled || this.#phase !== "ended") this.#require(event, "idle");
      this.#phase = "run";
      this.#turnCount = 0;
      this.#mayRecover = false;
      this.#runMessages.clear();
      this.#usedIds.clear();
    },
    agent_end: (event: EventOf<"agent_end">) => {
      this.#require(event, "run");
      if (this.#turnCount === 0) this.#fail(event, "a run without a turn");
      if (this.#isRetrying) this.#fail(event, "a retry is still open");
      const fault = this.#runMessages.compare(event.messages);
      if (fault) this.#fail(event, fault);
      this.#phase = "ended";
      this.#mayRecover = true;
    },
    agent_settled: (event: StreamEvent) => {
      this.#require(event, "ended");
      this.#phase = "idle";
    },
    turn_start: (event: EventOf<"turn_start">) => {
      this.#require(event, "run");
      this.#phase = "turn";
      this.#turnCount += 1;
      this.#answer = undefined;
      this.#results.clear();
    },
    turn_end: (event: EventOf<"turn_end">) => {
      this.#require(event, "turn");
      this.#checkTurn(event);
      this.#runMessages.turn(event.message, event.toolResults);
      this.#phase = "run";
      this.#mayRecover = true;
    },
    message_start: (event: EventOf<"message_start">) => {
      this.#require(event, "turn");
      if (this.#openMessage) this.#fail(event, "a message is open");
      this.#openMessage = { message: event.message, blocks: new AnswerBlocks() };
      const { message } = event;
      if (this.#owedResult !== undefined && message.role !== "toolResult") this.#fail(event, "instead of a result");
      if (message.role === "assistant") {
        if (this.#answer) this.#fail(event, "a second assistant message in one turn");
        if (message.content.length > 0) this.#fail(event, "an assistant message must start empty");
        if (message.usage.totalTokens !== 0) this.#fail(event, "an assistant message must start with zero usage");
      } else if (message.role === "toolResult") {
        if (this.#owedResult !== message.toolCallId) this.#fail(event, "a result without the end of its call");
        this.#owedResult = undefined;
      } else if (this.#answer) this.#fail(event, `role ${message.role} after the answer of the turn`);
    },
    message_update: (event: EventOf<"message_update">) => {
      if (this.#openMessage?.message.role !== "assistant") this.#fail(event, "no assistant message is open");
      const fault = this.#openMessage?.blocks.read(event.assistantMessageEvent);
      if (fault) this.#fail(event, fault);
    },
    message_end: (event: EventOf<"message_end">) => this.#endMessage(event),
    tool_execution_start: (event: EventOf<"tool_execution_start">) => {
      this.#require(event, "turn");
      if (event.parentToolCallId !== undefined) this.#startNested(event, event.parentToolCallId);
      else if (!this.#answer?.content.some((block) => block.type === "toolCall" && block.id === event.toolCallId))
        this.#fail(event, "no such call in the answer of the turn");
      if (this.#usedIds.has(event.toolCallId)) this.#fail(event, "id used twice");
      this.#usedIds.add(event.toolCallId);
      this.#openCalls.add(event.toolCallId);
    },
    tool_execution_update: (event: EventOf<"tool_execution_update">) => {
      if (!this.#openCalls.has(event.toolCallId)) this.#fail(event, "call is not open");
    },
    tool_execution_end: (event: EventOf<"tool_execution_end">) => {
      if (!this.#openCalls.delete(event.toolCallId)) this.#fail(event, "call is not open");
      if ([...this.#openCalls].some((id) => id.startsWith(`${event.toolCallId}/`)))
        this.#fail(event, "a call that it made is still open");
      if (event.parentToolCallId === undefined) this.#owedResult = event.toolCallId;
    },
    auto_retry_start: (event: StreamEvent) => {
      this.#recover(event);
      if (this.#answer?.stopReason !== "error") this.#fail(event, "the last answer did not fail");
      this.#isRetrying = true;
    },
    auto_retry_end: (event: StreamEvent) => {
      if (!this.#isRetrying) this.#fail(event, "no retry is open");
      this.#isRetrying = false;
      if (this.#phase === "run") this.#previous = "gave_up";
      else if (!this.#answer || this.#openMessage || this.#results.size > 0 || this.#openCalls.size > 0) {
        this.#fail(event, "not directly after the answer");
      }
    },
    todo_reminder: (event: StreamEvent) => this.#recover(event),
    ttsr_triggered: (event: StreamEvent) => {
      if (this.#openMessage?.message.role !== "assistant") this.#fail(event, "no assistant message is open");
    },
    auto_compaction_start: (event: StreamEvent) => this.#startCompaction(event),
    auto_compaction_end: (event: StreamEvent) => this.#endCompaction(event),
    // the pi dialect
    compaction_start: (event: StreamEvent) => this.#startCompaction(event),
    compaction_end: (event: StreamEvent) => this.#endCompaction(event),
  };

  #endMessage(event: EventOf<"message_end">): void {
    const { message } = event;
    const open = this.#openMessage;
    this.#openMessage = undefined;
    if (open?.message.role !== message.role) this.#fail(event, "no such message is open");
    else if (message.role === "assistant") this.#checkBlocks(event, open.blocks.open);
    else if (!isSame(open.message, message)) this.#fail(event, "start and end of the message differ");
    if (message.role === "assistant") this.#answer = message;
    else if (message.role === "toolResult") this.#results.set(message.toolCallId, message);
    else this.#runMessages.injected(message);
  }

  #checkBlocks(event: EventOf<"message_end">, open: readonly number[]): void {
    const { stopReason } = event.message as AssistantMessage;
    const mayBreakOff = stopReason === "error" || stopReason === "aborted";
    if (!mayBreakOff && open.length > 0) this.#fail(event, `blocks never ended: ${open.join(", ")}`);
  }

  #checkTurn(event: EventOf<"turn_end">): void {
    if (!this.#answer) this.#fail(event, "a turn without an assistant message");
    else if (!isSame(event.message, this.#answer)) this.#fail(event, "the message is not the answer of the turn");
    if (this.#openMessage) this.#fail(event, "a message is open");
    if (this.#openCalls.size > 0) this.#fail(event, "calls are open");
    const calls = event.message.content.flatMap((block) => (block.type === "toolCall" ? [block.id] : []));
    const results = event.toolResults.map((result) => result.toolCallId);
    if (calls.join() !== results.join()) this.#fail(event, `results [${results}] do not match calls [${calls}]`);
    for (const result of event.toolResults) {
      if (!isSame(this.#results.get(result.toolCallId), result)) {
        this.#fail(event, `the result of ${result.toolCallId} was not announced so`);
      }
    }
  }

  /** At most one continuation may come between two turns. */
  #recover(event: StreamEvent): void {
    this.#require(event, "run");
    if (!this.#mayRecover) this.#fail(event, "not directly after a turn");
    this.#mayRecover = false;
  }

  #startCompaction(event: StreamEvent): void {
    if (this.#phase === "turn") this.#fail(event, "inside of a turn");
    if (this.#phase === "run") this.#recover(event);
    if (this.#phase === "ended") {
      if (!this.#mayRecover) this.#fail(event, "a second one after the run");
      this.#mayRecover = !this.#expectSettled; // A bare stream does not show whether a compaction follows the run or starts while the session is idle.
    }
    this.#isCompacting = true;
  }

  #endCompaction(event: StreamEvent): void {
    if (!this.#isCompacting) this.#fail(event, "not compacting");
    this.#isCompacting = false;
  }

  #require(event: StreamEvent, phase: string): void {
    if (this.#phase !== phase) this.#fail(event, `in phase ${this.#phase}`);
  }

  #startNested(event: EventOf<"tool_execution_start">, parentId: string): void {
    if (!this.#openCalls.has(parentId)) this.#fail(event, "the call that makes it is not open");
    if (!event.toolCallId.startsWith(`${parentId}/`))
      this.#fail(event, "its id does not begin with that of its parent");
  }

  #fail(event: StreamEvent, reason: string): void {
    this.violations.push(`event ${this.#count} ${event.type}: ${reason}`);
  }
}

export function grammarViolations(events: Iterable<StreamEvent>, options: { expectSettled: boolean }): string[] {
  const grammar = new EventGrammar(options);
  for (const event of events) grammar.feed(event);
  return grammar.finish();
}
