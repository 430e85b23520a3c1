import type { AgentMessage, ToolInvocation, ToolResult } from "@pintle/agent";
import type { AgentDefinition } from "../agents/agent-definition.ts";
import { BUILT_IN_AGENTS } from "../agents/built-in-agents.ts";
import type { Agents } from "../agents/load-agents.ts";
import type { Settings } from "../config/settings/settings.ts";
import type { BackgroundJobs } from "../jobs/background-jobs.ts";
import type { PendingActionInput } from "../previews/pending-action.ts";
import type { TaskDetails } from "../tools/task/task-details.ts";
import type { Delegation as TaskDelegation } from "../tools/task.ts";
import type { Child } from "./child.ts";
import type { ChildRequest, ChildResult, ChildSession } from "./child-session.ts";
import type { Isolation } from "./isolation.ts";
import type { Subagents } from "./subagents.ts";

/** The subagent to which a session belongs. */
export interface OwnSubagent {
  child: Child;
  agent: AgentDefinition;
}

export interface DelegationParts {
  /** All subagents of the family. */
  subagents: Subagents;
  /** Absent in the session that the host has opened. */
  own?: OwnSubagent | undefined;
  settings: Settings;
  jobs: BackgroundJobs;
  now(): number;
  cwd(): string;
  /** The session, and where its subagents are stored. */
  session(): { id: string; file: string | undefined };
  /** Names of the tools that the model of the session is offered. */
  toolNames(): string[];
  /** Whether a subagent of this kind would have the model and level of the session. */
  hasOwnModel(agent: AgentDefinition): boolean;
  /** Returns the function that opens the session of a subagent, which the active run has called for. */
  opener(child: Child): (request: ChildRequest) => Promise<ChildSession>;
  newSpillPath(): Promise<string>;
  /** Creates separate directories; absent if that is not possible. */
  isolation?: Isolation | undefined;
  /** Records a file that is about to be changed, by its real path. */
  beforeWrite(real: string): void;
  /** Stages a change in the session that the host has opened. */
  stage(action: PendingActionInput): void;
  /** Adds what a subagent did to the result of the active run. */
  addResult(result: ChildResult): void;
}

/** Handles what the model of one session delegates. */
export class Delegation implements TaskDelegation {
  readonly parts: DelegationParts;
  /** Calls whose subagents' usage has been counted where it arose. */
  readonly #counted = new Set<string>();

  /** The agents that the model was offered. */
  #stamp: string;

  constructor(parts: DelegationParts) {
    this.parts = parts;
    this.#stamp = this.#offer;
  }

  /** The number of sessions above this one. */
  get depth(): number {
    return this.parts.own?.child.facts.depth ?? 0;
  }

  get isAllowed(): boolean {
    return this.isBelowLimit(this.depth) && this.agents().length > 0;
  }

  isBelowLimit(depth: number): boolean {
    const max = this.parts.settings.get("task.maxRecursionDepth");
    return max < 0 || depth < max;
  }

  agents(): readonly AgentDefinition[] {
    return offeredTo(this.parts.own?.agent, this.parts.subagents.agents);
  }

  /** Finds the agents before a run. Returns whether the model must be offered different ones than before. */
  async prepare(): Promise<boolean> {
    if (this.isBelowLimit(this.depth)) await this.parts.subagents.loadAgents();
    const before = this.#stamp;
    this.#stamp = this.#offer;
    return this.#stamp !== before;
  }

  /** Called when another session was opened. */
  restore(): void {
    this.#counted.clear();
    if (!this.parts.own) this.parts.subagents.restore();
  }

  /** Returns where a subagent belongs in the work of its family: recordings of model calls depend on it. */
  placeOf(callId: string, index: number): string {
    const call = [...this.#counted].indexOf(callId) + 1;
    const above = this.parts.own ? `${this.parts.own.child.facts.place}/` : "";
    return `${above}${call}.${index}`;
  }

  run(args: Readonly<Record<string, unknown>>, call: ToolInvocation): Promise<ToolResult<TaskDetails>> {
    this.#counted.add(call.id);
    return import("./run-tasks.ts").then(({ runTasks }) => runTasks(args, call, this));
  }

  get #offer(): string {
    return JSON.stringify([this.isAllowed, this.agents().map(({ name, description }) => [name, description])]);
  }

  /** Whether a message reports usage that was counted where it arose. */
  hasCounted(message: AgentMessage): boolean {
    if (message.role === "custom") return message.customType === "async-result";
    return message.role === "toolResult" && this.#counted.has(message.toolCallId);
  }
}

/** Returns the agents that a session may start: all, or those that the definition of its own agent names. */
export function offeredTo(own: AgentDefinition | undefined, agents: Agents | undefined): readonly AgentDefinition[] {
  const offered = agents?.offered ?? BUILT_IN_AGENTS;
  if (!own) return offered;
  const { spawns = [] } = own;
  return spawns === "*" ? offered : offered.filter(({ name }) => spawns.includes(name));
}
