import {
  type AgentEvent,
  type AgentMessage,
  createSystemClock,
  Agent as LoopAgent,
  type LoopHooks,
  type QueuedMessage,
  type QueueMode,
  type Tool,
} from "@pintle/agent";
import {
  type AssistantMessage,
  errorText,
  type ForeignStream,
  type ImageContent,
  type Model,
  streamModel,
  type ThinkingLevel,
  type ToolCall,
} from "@pintle/ai";
import type { TSchema } from "typebox";
import { contentFault } from "../api/content-blocks.ts";
import { progressOf, toToolResult } from "../api/tool-results.ts";
import { convertToLlm } from "./conversation.ts";
import { stream } from "./model-calls.ts";

// The agent of `pi-agent-core`: a conversation with a model that an extension runs alongside the session. Its tools are
// functions of the extension. It cannot reach those of the session, so it cannot bypass their permissions.

interface StandaloneTool {
  name: string;
  label?: string;
  description: string;
  parameters: TSchema;
  executionMode?: "sequential" | "parallel";
  prepareArguments?(args: unknown): Record<string, unknown>;
  execute(id: string, args: unknown, signal?: AbortSignal, onUpdate?: ReturnType<typeof progressOf>): unknown;
}

interface ToolCallContext {
  assistantMessage: AssistantMessage | undefined;
  toolCall: ToolCall;
  args: Record<string, unknown>;
  context: { systemPrompt: string; messages: readonly AgentMessage[]; tools: readonly StandaloneTool[] };
}

type Result = { content: unknown; details?: unknown };
type Maybe<T> = T | undefined | Promise<T | undefined>;

interface AgentOptions {
  initialState?: Partial<Pick<AgentState, "systemPrompt" | "model" | "thinkingLevel" | "tools" | "messages">>;
  convertToLlm?(messages: AgentMessage[]): AgentMessage[] | Promise<AgentMessage[]>;
  transformContext?(messages: AgentMessage[], signal?: AbortSignal): Promise<AgentMessage[]>;
  streamFn?: ForeignStream;
  getApiKey?(provider: string): Maybe<string>;
  beforeToolCall?(call: ToolCallContext, signal?: AbortSignal): Maybe<{ block?: boolean; reason?: string }>;
  afterToolCall?(
    call: ToolCallContext & { result: Result; isError: boolean },
    signal?: AbortSignal,
  ): Maybe<Partial<Awaited<ReturnType<NonNullable<LoopHooks["toolResult"]>>>>>;
  steeringMode?: QueueMode;
  followUpMode?: QueueMode;
  sessionId?: string;
  toolExecution?: "sequential" | "parallel";
}

type Listener = (event: AgentEvent, signal: AbortSignal) => unknown;

const ABORT_GRACE_MS = 5_000;
const NEVER = new AbortController().signal;

/** The agent's configuration and progress; most fields may be assigned between runs. */
class AgentState {
  systemPrompt = "";
  model: Model | undefined;
  thinkingLevel: ThinkingLevel = "off";
  tools: readonly StandaloneTool[] = [];
  isStreaming = false;
  streamingMessage: AgentMessage | undefined;
  pendingToolCalls: ReadonlySet<string> = new Set();
  errorMessage: string | undefined;
  readonly #agent: LoopAgent;

  constructor(agent: LoopAgent) {
    this.#agent = agent;
  }

  get messages(): AgentMessage[] {
    return [...this.#agent.messages];
  }

  set messages(messages: readonly AgentMessage[]) {
    this.#agent.replaceMessages(messages);
  }
}

export class StandaloneAgent {
  readonly state: AgentState;
  streamFunction: ForeignStream;
  convertToLlm: NonNullable<AgentOptions["convertToLlm"]>;
  transformContext: AgentOptions["transformContext"];
  getApiKey: AgentOptions["getApiKey"];
  beforeToolCall: AgentOptions["beforeToolCall"];
  afterToolCall: AgentOptions["afterToolCall"];
  toolExecution: "sequential" | "parallel";
  sessionId: string | undefined;
  readonly #agent: LoopAgent;
  readonly #listeners = new Set<Listener>();
  /** The values that listeners have returned; the run ends when all of them have settled. */
  #notified: unknown[] = [];
  #signal: AbortSignal | undefined;

  constructor(options: AgentOptions = {}) {
    this.streamFunction = options.streamFn ?? stream;
    this.convertToLlm = options.convertToLlm ?? convertToLlm;
    this.transformContext = options.transformContext;
    this.getApiKey = options.getApiKey;
    this.beforeToolCall = options.beforeToolCall;
    this.afterToolCall = options.afterToolCall;
    this.toolExecution = options.toolExecution ?? "parallel";
    this.sessionId = options.sessionId;
    this.#agent = new LoopAgent({
      stream: (model, context, request) => streamModel(model, context, { ...request, foreign: this.streamFunction }),
      setup: () => this.#setup(),
      emit: (event) => this.#emit(event),
      hooks: this.#hooks(),
      interruptMode: () => "wait",
      limits: () => ({ maxTurns: 0, abortGraceMs: ABORT_GRACE_MS }),
      clock: createSystemClock(),
    });
    this.state = Object.assign(new AgentState(this.#agent), options.initialState);
    this.steeringMode = options.steeringMode ?? "one-at-a-time";
    this.followUpMode = options.followUpMode ?? "one-at-a-time";
  }

  get steeringMode(): QueueMode {
    return this.#agent.queue.steeringMode;
  }

  set steeringMode(mode: QueueMode) {
    this.#agent.queue.steeringMode = mode;
  }

  get followUpMode(): QueueMode {
    return this.#agent.queue.followUpMode;
  }

  set followUpMode(mode: QueueMode) {
    this.#agent.queue.followUpMode = mode;
  }

  /** The signal of the active run. */
  get signal(): AbortSignal | undefined {
    return this.#signal;
  }

  /** Returns a function that unsubscribes the listener. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Resolves when the run is over. A failed answer is the last message; only misuse rejects. */
  async prompt(input: string | AgentMessage | readonly AgentMessage[], images: readonly ImageContent[] = []) {
    const messages = toMessages(input, images);
    await this.#run((claim) => claim.start(messages));
  }

  /** Calls the model again with the conversation as it is. */
  async continue(): Promise<void> {
    if (this.#agent.messages.at(-1)?.role === "assistant") {
      const waiting = [...this.#agent.queue.takeSteering(), ...this.#agent.queue.takeFollowUp()];
      if (waiting.length === 0) throw new Error("Cannot continue from message role: assistant");
      return this.#run((claim) => claim.start(waiting));
    }
    if (this.#agent.messages.length === 0) throw new Error("No messages to continue from");
    await this.#run((claim) => claim.start([]));
  }

  steer(message: QueuedMessage): void {
    this.#agent.queue.steer(message);
  }

  followUp(message: QueuedMessage): void {
    this.#agent.queue.followUp(message);
  }

  clearSteeringQueue(): void {
    this.#agent.queue.clear("steering");
  }

  clearFollowUpQueue(): void {
    this.#agent.queue.clear("followUp");
  }

  clearAllQueues(): void {
    this.#agent.queue.clear("steering", "followUp", "nextTurn");
  }

  hasQueuedMessages(): boolean {
    return !this.#agent.queue.isEmpty;
  }

  abort(): void {
    // Never rejects: it waits for the run, however that ends.
    void this.#agent.abort();
  }

  waitForIdle(): Promise<void> {
    return this.#agent.idle();
  }

  reset(): void {
    this.#agent.replaceMessages([]);
    this.clearAllQueues();
    this.state.streamingMessage = undefined;
    this.state.errorMessage = undefined;
  }

  async #run(start: (claim: ReturnType<LoopAgent["claim"]>) => Promise<unknown>): Promise<void> {
    const claim = this.#agent.claim();
    this.#signal = claim.signal;
    this.state.isStreaming = true;
    this.state.errorMessage = undefined;
    try {
      await start(claim);
      await Promise.all(this.#notified.splice(0));
    } finally {
      this.state.isStreaming = false;
      this.state.streamingMessage = undefined;
      this.state.pendingToolCalls = new Set();
      this.#signal = undefined;
    }
  }

  async #setup() {
    const { model, systemPrompt, thinkingLevel, tools } = this.state;
    if (!model) throw new Error("The agent has no model: set initialState.model");
    const apiKey = await this.getApiKey?.(model.provider);
    return {
      model,
      systemPrompt,
      tools: tools.map((tool) => this.#adapt(tool)),
      options: {
        thinkingLevel,
        ...(apiKey !== undefined && { apiKey }),
        ...(this.sessionId && { sessionId: this.sessionId }),
      },
    };
  }

  #adapt(tool: StandaloneTool): Tool {
    const isAlone = this.toolExecution === "sequential" || tool.executionMode === "sequential";
    const { prepareArguments } = tool;
    return {
      name: tool.name,
      label: tool.label ?? tool.name,
      description: tool.description,
      parameters: tool.parameters,
      ...(isAlone && { concurrency: "exclusive" as const }),
      ...(prepareArguments && { prepareArguments: (args) => prepareArguments.call(tool, args) }),
      execute: async (args, call) => toToolResult(await tool.execute(call.id, args, call.signal, progressOf(call))),
    };
  }

  #hooks(): LoopHooks {
    return {
      context: async (messages) => {
        const shown = (await this.transformContext?.(messages, this.#signal)) ?? messages;
        return this.convertToLlm(shown);
      },
      toolCall: async (toolCall, signal) => {
        const answer = await this.beforeToolCall?.(this.#callContext(toolCall), signal);
        if (!answer?.block) return undefined;
        return { block: true, ...(answer.reason !== undefined && { reason: answer.reason }) };
      },
      toolResult: async (toolCall, result) => {
        const answer = await this.afterToolCall?.(
          { ...this.#callContext(toolCall), result, isError: result.isError === true },
          this.#signal,
        );
        const isUsable = answer?.content === undefined || contentFault("toolResult", answer.content) === undefined;
        return isUsable ? answer : undefined;
      },
    };
  }

  #callContext(toolCall: ToolCall): ToolCallContext {
    const { systemPrompt, tools } = this.state;
    const { messages } = this.#agent;
    const assistantMessage = messages.findLast((message) => message.role === "assistant");
    return { assistantMessage, toolCall, args: toolCall.arguments, context: { systemPrompt, messages, tools } };
  }

  #emit(event: AgentEvent): void {
    this.#track(event);
    for (const listener of [...this.#listeners]) {
      try {
        this.#notified.push(listener(event, this.#signal ?? NEVER));
      } catch (error) {
        this.#notified.push(Promise.reject(error));
      }
    }
    // Reported when the run is over; until then it must not be an unhandled rejection.
    for (const work of this.#notified) if (work instanceof Promise) work.catch(() => {});
  }

  #track(event: AgentEvent): void {
    const { state } = this;
    if (event.type === "message_start" || event.type === "message_update") state.streamingMessage = event.message;
    if (event.type === "message_end") {
      state.streamingMessage = undefined;
      if (event.message.role === "assistant" && event.message.errorMessage !== undefined)
        state.errorMessage = errorText(event.message.errorMessage);
    }
    if (event.type === "tool_execution_start")
      state.pendingToolCalls = new Set([...state.pendingToolCalls, event.toolCallId]);
    if (event.type === "tool_execution_end")
      state.pendingToolCalls = new Set([...state.pendingToolCalls].filter((id) => id !== event.toolCallId));
  }
}

function toMessages(
  input: string | AgentMessage | readonly AgentMessage[],
  images: readonly ImageContent[],
): readonly AgentMessage[] {
  if (typeof input === "string") {
    const text = { type: "text" as const, text: input };
    return [{ role: "user", content: [text, ...images], timestamp: Date.now() }];
  }
  return isList(input) ? input : [input];
}

function isList(input: AgentMessage | readonly AgentMessage[]): input is readonly AgentMessage[] {
  return Array.isArray(input);
}
