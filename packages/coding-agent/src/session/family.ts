import type { Tool } from "@pintle/agent";
import type { Model, ThinkingLevel } from "@pintle/ai";
import type { SessionManager } from "@pintle/storage";
import type { PermissionMode, RunDenial } from "@pintle/wire";
import type { Previews } from "../previews/previews.ts";
import type { ChildRequest, ChildSession } from "../subagents/child-session.ts";
import type { OwnSubagent } from "../subagents/delegation.ts";
import type { Subagents } from "../subagents/subagents.ts";
import type { TraceHeaders } from "../traces/trace-headers.ts";
import type { AttachedHost } from "./attached-host.ts";
import type { FamilyBudget } from "./budgets/family-budget.ts";
import type { PolicyState } from "./permissions/policy-state.ts";
import type { SentRequest } from "./requests/request-base.ts";
import type { SessionHooks } from "./session-hooks.ts";
import type { ToolRegistry } from "./tools/tool-registry.ts";

/** What the session of a subagent takes from those that it works for. */
export interface FamilyParts {
  own: OwnSubagent;
  /** All subagents of the family. */
  subagents: Subagents;
  budget: FamilyBudget;
  /** The preset in its definition, which can only restrict the family's preset. */
  permissionMode: PermissionMode | undefined;
  /** How many turns one run may have; 0 means no limit of its own. */
  maxTurns: number;
  /** How long an abort waits for its tools: less than its parent waits for it. */
  abortGraceMs(): number;
  /** The tools that its requests declare, whatever it may use: those of its parent's requests. */
  declared: readonly Tool[] | undefined;
  /** Usage instructions of the MCP servers, whose tools it may have. */
  serverInstructions(): string;
  /** The previews of the session that the host has opened. */
  rootPreviews: Previews;
  onDenial(denial: RunDenial): void;
  /** Called when the user stops the run with a denial. */
  onStop(): void;
  /** Called with each file that is about to be changed. */
  beforeWrite(real: string): void;
}

/** A session that starts a subagent, as far as the session of the subagent depends on it. */
export interface ParentSession {
  manager(): SessionManager;
  cwd(): string;
  policy: PolicyState;
  host: AttachedHost;
  hooks(): SessionHooks;
  /** Returns a promise while the reader of events cannot keep up. */
  ready(): Promise<void> | undefined;
  tools: ToolRegistry;
  model: Model;
  thinkingLevel: ThinkingLevel;
  /** The request that a fork continues. */
  request: SentRequest & { cacheKey: string };
  traceOf(toolCallId: string): TraceHeaders | undefined;
  family: Omit<FamilyParts, "own" | "permissionMode" | "maxTurns" | "declared">;
}

export type OpenChild = (request: ChildRequest, parent: ParentSession) => Promise<ChildSession>;
