import type { AgentMessage } from "@pintle/agent";
import type { Model, Usage } from "@pintle/ai";

/** How a subagent uses the budget of the session that all of its family works for. */
export interface FamilyBudget {
  /** Throws if a limit on cost cannot be enforced with this model. */
  requirePrice(model: Model): void;
  /** Throws if no model call outside the turns is allowed. */
  requireRoom(model: Model): void;
  /** Awaited before each model call. At a limit it waits until the limit is raised, or ends the run by `endRun`. */
  beforeCall(signal: AbortSignal, endRun: (why: string) => void): Promise<void>;
  addMessage(message: AgentMessage): void;
  addNestedCall(): void;
  addUsage(usage: Usage): void;
}
