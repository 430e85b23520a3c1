import type { AssistantEventStream, Model, ModelContext, StreamModel, StreamOptions } from "@pintle/ai";
import type { AgentSessionEvent } from "@pintle/wire";
import type { Telemetry } from "../otlp/telemetry.ts";
import type { TracedWait, TraceRecorder } from "../run-trace.ts";
import { type Attributes, addEvent, type Span } from "../span.ts";
import type { TracePlace } from "../trace-headers.ts";
import type { ContentAttributes } from "./content.ts";
import { answerAttributes, type CallEnd, failureOf, requestAttributes } from "./model-call.ts";
import type { SpanMaker } from "./span-maker.ts";
import { UsageSum } from "./usage-sum.ts";

export interface SessionSpansParts {
  spans: SpanMaker;
  telemetry: Pick<Telemetry, "measure" | "close">;
  /** Undefined if content is not exported. */
  content: ContentAttributes | undefined;
  version: string;
  sessionId(): string;
  now(): number;
}

type EventType = AgentSessionEvent["type"];
type Events = { [T in EventType]: Extract<AgentSessionEvent, { type: T }> };
type EventOf<T extends EventType> = Events[T];
type Handlers = { [T in EventType]?: (event: Events[T]) => void };

const AGENT = "pintle";

/**
 * Records a session as spans: runs with their model calls, tool calls, compactions and waits. Only this class knows open spans;
 * it ignores the end of a span that never started.
 */
export class SessionSpans implements TraceRecorder {
  readonly #parts: SessionSpansParts;
  #parent: TracePlace | undefined;
  #run: Span | undefined;
  #usage = new UsageSum();
  #compaction: Span | undefined;
  #attempt = 0;
  #lastModel: Model | undefined;
  /** Open spans by the id of the tool call or of the staged change. */
  readonly #tools = new Map<string, Span>();
  readonly #previews = new Map<string, Span>();
  readonly #others = new Set<Span>();
  readonly #handlers: Handlers = {
    agent_start: () => this.#startRun(),
    agent_end: (event) => this.#endRun(event),
    tool_execution_start: (event) => this.#startTool(event),
    tool_execution_end: (event) => this.#endTool(event),
    compaction_start: ({ reason }) => this.#startCompaction(reason),
    compaction_end: (event) => this.#endCompaction(event),
    auto_compaction_start: ({ reason }) => this.#startCompaction(reason),
    auto_compaction_end: (event) => this.#endCompaction(event),
    auto_retry_start: ({ attempt, delayMs }) => {
      this.#attempt = attempt;
      this.#note("pintle.retry", { "pintle.retry.attempt": attempt, "pintle.retry.delay_ms": delayMs });
    },
    auto_retry_end: () => {
      this.#attempt = 0;
    },
    retry_fallback_applied: ({ from, to }) =>
      this.#note("pintle.fallback", { "pintle.fallback.from": from, "pintle.fallback.to": to }),
    cache_break: ({ cause, tokensLost }) =>
      this.#note("pintle.cache_break", { "pintle.cache_break.cause": cause, "pintle.cache_break.tokens": tokensLost }),
    pending_action_added: ({ action }) => {
      this.#previews.set(action.actionId, this.#start("wait preview", this.#inRun, { "pintle.wait.kind": "preview" }));
    },
    pending_action_resolved: ({ actionId, action, by }) => {
      const span = this.#previews.get(actionId);
      this.#previews.delete(actionId);
      if (span) this.#parts.spans.end(span, { "pintle.wait.ended_by": by, "pintle.preview.decision": action });
    },
  };

  constructor(parts: SessionSpansParts) {
    this.#parts = parts;
  }

  begin(parent: TracePlace | undefined): void {
    this.#parent = this.#parts.spans.adopt(parent);
  }

  readonly onEvent = <T extends EventType>(event: Events[T] & { type: T }): void => {
    this.#handlers[event.type]?.(event);
  };

  placeOf(toolCallId: string): TracePlace | undefined {
    return this.#tools.get(toolCallId)?.place ?? this.#inRun;
  }

  onWait({ kind, toolName, toolCallId }: TracedWait): (by: string) => void {
    const parent = toolCallId === undefined ? this.#inRun : this.placeOf(toolCallId);
    const about = { "gen_ai.tool.name": toolName, "gen_ai.tool.call.id": toolCallId };
    const span = this.#start(`wait ${kind}`, parent, { "pintle.wait.kind": kind, ...about });
    this.#others.add(span);
    return (by) => {
      this.#others.delete(span);
      this.#parts.spans.end(span, { "pintle.wait.ended_by": by });
    };
  }

  wrap(stream: StreamModel): StreamModel {
    return (model, context, options) => {
      const span = this.#startCall(model, context, options);
      const events = stream(model, context, options);
      this.#watchCall(span, model, events);
      return events;
    };
  }

  async close(): Promise<void> {
    const open = [...this.#tools.values(), ...this.#previews.values(), ...this.#others, this.#compaction, this.#run];
    for (const span of open) if (span) this.#parts.spans.end(span, { "error.type": "shutdown" }, "The session ended");
    await this.#parts.telemetry.close();
  }

  /** Parent of the spans of a run; outside a run, the parent of the last one. */
  get #inRun(): TracePlace | undefined {
    return this.#run?.place ?? this.#parent;
  }

  #start(name: string, parent: TracePlace | undefined, attributes: Attributes): Span {
    const conversation = { "gen_ai.conversation.id": this.#parts.sessionId() };
    return this.#parts.spans.start({ name, parent, attributes: { ...attributes, ...conversation } });
  }

  #note(name: string, attributes: Attributes): void {
    if (this.#run) addEvent(this.#run, name, this.#parts.now(), attributes);
  }

  #measureDuration(span: Span, operation: string, attributes: Attributes = {}): void {
    const seconds = ((span.endMs ?? span.startMs) - span.startMs) / 1000;
    this.#parts.telemetry.measure("gen_ai.client.operation.duration", seconds, {
      "gen_ai.operation.name": operation,
      ...attributes,
    });
  }

  #startRun(): void {
    this.#usage = new UsageSum();
    this.#attempt = 0;
    this.#run = this.#start(`invoke_agent ${AGENT}`, this.#parent, {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": AGENT,
      "gen_ai.agent.version": this.#parts.version,
    });
  }

  #endRun({ stopReason, endedBy }: EventOf<"agent_end">): void {
    const run = this.#run;
    this.#run = undefined;
    if (!run) return;
    const isFailed = stopReason === "error";
    const model = this.#lastModel;
    this.#parts.spans.end(
      run,
      {
        ...(model && requestAttributes(model)),
        ...this.#usage.attributes(),
        "gen_ai.response.finish_reasons": [stopReason],
        "pintle.run.ended_by": endedBy,
        "error.type": isFailed ? "model_call_failed" : undefined,
      },
      isFailed ? "A model call failed" : undefined,
    );
    this.#measureDuration(run, "invoke_agent", { "error.type": isFailed ? "model_call_failed" : undefined });
  }

  #startTool({ toolCallId, toolName, args }: EventOf<"tool_execution_start">): void {
    const span = this.#start(`execute_tool ${toolName}`, this.#inRun, {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": toolName,
      "gen_ai.tool.call.id": toolCallId,
      "gen_ai.tool.type": "function",
      ...this.#parts.content?.toolArguments(args),
    });
    this.#tools.set(toolCallId, span);
  }

  #endTool({ toolCallId, toolName, result, isError }: EventOf<"tool_execution_end">): void {
    const span = this.#tools.get(toolCallId);
    this.#tools.delete(toolCallId);
    if (!span) return;
    const error = { "error.type": isError ? "tool_error" : undefined };
    const attributes = { ...error, ...this.#parts.content?.toolResult(result) };
    this.#parts.spans.end(span, attributes, isError ? "The tool call failed" : undefined);
    this.#measureDuration(span, "execute_tool", { "gen_ai.tool.name": toolName, ...error });
  }

  #startCompaction(reason: string): void {
    this.#compaction ??= this.#start("compaction", this.#inRun, { "pintle.compaction.reason": reason });
  }

  #endCompaction({ result, aborted, errorMessage }: EventOf<"compaction_end"> | EventOf<"auto_compaction_end">): void {
    const span = this.#compaction;
    this.#compaction = undefined;
    if (!span) return;
    const isFailed = errorMessage !== undefined;
    const attributes = {
      "pintle.compaction.tokens_before": result?.tokensBefore,
      "pintle.compaction.aborted": aborted || undefined,
      "error.type": isFailed ? "compaction_failed" : undefined,
    };
    this.#parts.spans.end(span, attributes, isFailed ? "The compaction failed" : undefined);
  }

  #startCall(model: Model, context: ModelContext, options: StreamOptions | undefined): Span {
    this.#lastModel = model;
    return this.#parts.spans.start({
      name: `chat ${model.id}`,
      kind: "client",
      parent: this.#compaction?.place ?? this.#inRun,
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.conversation.id": this.#parts.sessionId(),
        "gen_ai.request.stream": true,
        "gen_ai.request.max_tokens": options?.maxTokens,
        "pintle.retry.attempt": this.#attempt > 0 ? this.#attempt : undefined,
        ...requestAttributes(model),
        ...this.#parts.content?.request(context),
      },
    });
  }

  #watchCall(span: Span, model: Model, events: AssistantEventStream): void {
    const { telemetry, now } = this.#parts;
    const about = requestAttributes(model);
    const labels = { "gen_ai.operation.name": "chat", ...about };
    this.#others.add(span);
    events.observe({
      first: () => {
        const seconds = (now() - span.startMs) / 1000;
        span.attributes["gen_ai.response.time_to_first_chunk"] = seconds;
        telemetry.measure("gen_ai.client.operation.time_to_first_chunk", seconds, labels);
      },
      end: (end) => this.#endCall(span, end, about),
    });
  }

  #endCall(span: Span, end: CallEnd, about: Attributes): void {
    this.#others.delete(span);
    const failure = failureOf(end);
    const attributes = { ...answerAttributes(end), "error.type": failure?.type };
    this.#parts.spans.end(span, { ...attributes, ...this.#parts.content?.answer(end) }, failure?.text);
    this.#measureDuration(span, "chat", { ...about, "error.type": failure?.type });
    const usage = this.#usage.add(end);
    if (!usage) return;
    const { telemetry } = this.#parts;
    const labels = { "gen_ai.operation.name": "chat", ...about };
    telemetry.measure("gen_ai.client.token.usage", usage.input, { ...labels, "gen_ai.token.type": "input" });
    telemetry.measure("gen_ai.client.token.usage", usage.output, { ...labels, "gen_ai.token.type": "output" });
    if (usage.cost > 0) telemetry.measure("pintle.cost", usage.cost, labels);
  }
}
