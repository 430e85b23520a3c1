import type { AgentMessage } from "@pintle/agent";
import { addUsage, cutText, textsOf, type Usage, zeroUsage } from "@pintle/ai";
import { plainLine } from "@pintle/foundation";
import type {
  AgentSessionEvent,
  SubagentLifecycle,
  SubagentOrigin,
  SubagentProgress,
  SubagentReport,
  SubagentSnapshot,
} from "@pintle/wire";
import type { ChildSession } from "./child-session.ts";

/** The facts about a subagent that are known at its start. */
export interface ChildFacts {
  id: string;
  /** Its position in the call that started it. */
  index: number;
  agent: string;
  agentSource: SubagentSnapshot["agentSource"];
  description?: string | undefined;
  /** The whole message that it receives. */
  task: string;
  /** The message without the context of the call. */
  assignment: string;
  parentToolCallId: string;
  /** The subagent that started it. */
  parentId?: string | undefined;
  depth: number;
  /** The call that started it and its position there, in every run the same: `1.0`, or `1.0/2.3` for one that another started. */
  place: string;
}

export type ChildEnd = "completed" | "failed" | "aborted";

const MAX_RECENT_TOOLS = 5;
const MAX_RECENT_LINES = 8;
const MAX_LINE_CHARS = 200;

/** One run of a subagent: its state, and what it has done so far. */
export class Child {
  readonly facts: ChildFacts;
  status: "pending" | "running" | ChildEnd = "pending";
  /** Whether no call waits for it. */
  isDetached = false;
  session: ChildSession | undefined;
  sessionFile: string | undefined;
  /** Why it was ended early, as a clause. */
  endReason: string | undefined;
  /** Resolves when it has ended. */
  readonly ended = Promise.withResolvers<void>();
  readonly usage: Usage = zeroUsage();
  /** Ends the wait for a free slot. */
  readonly abortion = new AbortController();
  requests = 0;
  toolCount = 0;
  readonly #now: () => number;
  readonly #startedAt: number;
  #endedAt: number | undefined;
  #lastUpdate: number;
  #tools = new Map<string, { tool: string; args: string }>();
  #recentTools: SubagentProgress["recentTools"] = [];
  #recentOutput: string[] = [];

  constructor(facts: ChildFacts, now: () => number) {
    this.facts = facts;
    this.#now = now;
    this.#startedAt = now();
    this.#lastUpdate = this.#startedAt;
  }

  /** Its task in one line. */
  get label(): string {
    return this.facts.description ?? plainLine(this.facts.assignment);
  }

  get isRunning(): boolean {
    return this.status === "pending" || this.status === "running";
  }

  /** Returns true if the event changes the progress. */
  observe(event: AgentSessionEvent): boolean {
    switch (event.type) {
      case "message_end":
        return this.#addMessage(event.message);
      case "tool_execution_start":
        this.#tools.set(event.toolCallId, { tool: event.toolName, args: argsLine(event.args) });
        break;
      case "tool_execution_end": {
        const call = this.#tools.get(event.toolCallId);
        this.#tools.delete(event.toolCallId);
        this.toolCount += 1;
        if (call)
          this.#recentTools = [{ ...call, endMs: this.#now() }, ...this.#recentTools].slice(0, MAX_RECENT_TOOLS);
        break;
      }
      default:
        return false;
    }
    this.#lastUpdate = this.#now();
    return true;
  }

  end(status: ChildEnd): void {
    this.status = status;
    this.#tools.clear();
    this.#endedAt = this.#now();
    this.#lastUpdate = this.#endedAt;
    this.ended.resolve();
  }

  get durationMs(): number {
    return (this.#endedAt ?? this.#now()) - this.#startedAt;
  }

  get tokens(): number {
    return this.usage.input + this.usage.output + this.usage.cacheWrite;
  }

  get cost(): number {
    return this.usage.cost.total;
  }

  get origin(): SubagentOrigin {
    const { id, agent, description } = this.facts;
    return { id, agent, ...(description !== undefined && { description }) };
  }

  get progress(): SubagentProgress {
    const { id, index, agent, agentSource, task, assignment, description } = this.facts;
    const current = [...this.#tools.values()].at(-1);
    return {
      index,
      id,
      agent,
      agentSource,
      status: this.status,
      task,
      assignment,
      ...(description !== undefined && { description }),
      ...(current && { currentTool: current.tool, currentToolArgs: current.args }),
      recentTools: this.#recentTools,
      recentOutput: this.#recentOutput,
      toolCount: this.toolCount,
      requests: this.requests,
      tokens: this.tokens,
      cost: this.cost,
      durationMs: this.durationMs,
    };
  }

  get snapshot(): SubagentSnapshot {
    const { parentId, parentToolCallId, depth, task, assignment } = this.facts;
    return {
      ...this.#shared,
      status: this.status,
      task,
      assignment,
      lastUpdate: this.#lastUpdate,
      progress: this.progress,
      parentToolCallId,
      ...(parentId !== undefined && { parentId }),
      depth,
      cost: this.cost,
    };
  }

  lifecycle(status: SubagentLifecycle["status"]): SubagentLifecycle {
    const { parentToolCallId } = this.facts;
    return { ...this.#shared, status, parentToolCallId, ...(this.isDetached && { detached: true as const }) };
  }

  get report(): SubagentReport {
    const { index, agent, agentSource, task, assignment, parentToolCallId } = this.facts;
    return {
      index,
      agent,
      agentSource,
      task,
      assignment,
      parentToolCallId,
      progress: this.progress,
      ...(this.sessionFile !== undefined && { sessionFile: this.sessionFile }),
      ...(this.isDetached && { detached: true as const }),
    };
  }

  get #shared() {
    const { id, index, agent, agentSource, description } = this.facts;
    return {
      id,
      index,
      agent,
      agentSource,
      ...(description !== undefined && { description }),
      ...(this.sessionFile !== undefined && { sessionFile: this.sessionFile }),
    };
  }

  #addMessage(message: AgentMessage): boolean {
    if (message.role !== "assistant") return false;
    this.requests += 1;
    addUsage(this.usage, message.usage);
    const lines = textsOf(message.content)
      .join("")
      .split("\n")
      .map((line) => cutText(plainLine(line), MAX_LINE_CHARS))
      .filter(Boolean);
    if (lines.length > 0) this.#recentOutput = lines.slice(-MAX_RECENT_LINES);
    this.#lastUpdate = this.#now();
    return true;
  }
}

function argsLine(args: unknown): string {
  const values = Object.values((args ?? {}) as object);
  const [only] = values;
  const text = values.length === 1 && typeof only === "string" ? only : (JSON.stringify(args) ?? "");
  return cutText(plainLine(text), MAX_LINE_CHARS);
}
