import type { AgentEvent, AgentMessage, Clock, Next, RunStopReason } from "@pintle/agent";
import { errorText, type StreamModel } from "@pintle/ai";
import { SessionError, type SessionManager } from "@pintle/storage";
import type { AgentSessionEvent, CompactionResult, ErrorCode } from "@pintle/wire";
import { CompactionError, type CompactionErrorCode } from "../../compaction/compaction-error.ts";
import type { CompactionHooks } from "../../compaction/compaction-hooks.ts";
import type { ContextChange, ConversationRequest } from "../../compaction/compaction-types.ts";
import { Compactor } from "../../compaction/compactor.ts";
import type { NavigateOptions, Navigation } from "../../compaction/tree-navigation.ts";
import type { Settings } from "../../config/settings/settings.ts";
import type { ModelState } from "../models/model-state.ts";
import type { RunResults } from "../results/run-results.ts";
import type { SessionHooks } from "../session-hooks.ts";
import type { BudgetPolicy } from "./budget-policy.ts";
import type { RestoreCause, RunPolicy } from "./policy.ts";

export interface SessionCompactionParts {
  settings: Settings;
  clock: Clock;
  stream: StreamModel;
  models: ModelState;
  budget: Pick<BudgetPolicy, "requireRoom" | "addUsage">;
  /** The results of runs, because summaries are part of what a run costs. */
  results: Pick<RunResults, "active">;
  manager(): SessionManager;
  messages(): readonly AgentMessage[];
  /** Returns the tokens of a request without its messages. */
  overheadTokens(): number;
  /** Returns undefined if no provider has cached the conversation. */
  conversationRequest(): Promise<ConversationRequest | undefined>;
  /** Called when the stored context has changed. */
  adoptContext(change: ContextChange): void;
  emit(event: AgentSessionEvent): void;
  hooks(): SessionHooks;
}

/** Returns the hooks for compaction, which read the extensions' hooks at each call: extensions come and go. */
function joinHooks(hooks: () => SessionHooks): CompactionHooks {
  return {
    beforeCompact: (event) => hooks().compaction.beforeCompact?.(event),
    compacting: (event) => hooks().compaction.compacting?.(event),
    compacted: (event) => hooks().compaction.compacted?.(event),
    beforeTree: (event) => hooks().compaction.beforeTree?.(event),
    treeMoved: (event) => hooks().compaction.treeMoved?.(event),
  };
}

/** The error codes that hosts receive. */
const CODES: Record<CompactionErrorCode, ErrorCode> = {
  nothing: "invalid_request",
  no_model: "invalid_request",
  no_credentials: "no_credentials",
  cancelled: "cancelled",
  in_progress: "busy",
  not_found: "not_found",
  failed: "invalid_request",
};

/** Runs the compactor before, during and after runs. */
export class SessionCompaction implements RunPolicy {
  readonly name = "compaction";
  readonly #compactor: Compactor;
  #stopReason: RunStopReason = "stop";
  #afterRun = new AbortController();

  constructor({ models, budget, results, manager, hooks, ...parts }: SessionCompactionParts) {
    this.#compactor = new Compactor({
      ...parts,
      model: () => models.current,
      summaryModels: () => models.summaryModels(),
      requestSetup: async (model) => {
        budget.requireRoom(model);
        return models.accessTo(model);
      },
      onUsage: (usage, model) => {
        budget.addUsage(usage);
        results.active?.addCall(model, usage);
      },
      session: manager,
      hooks: joinHooks(hooks),
      reportHookError: (hook, error) => {
        const text = errorText(error);
        parts.emit({ type: "extension_error", extensionPath: "session", event: hook, error: text });
      },
    });
    this.restore("resume");
  }

  get isCompacting(): boolean {
    return this.#compactor.isCompacting;
  }

  get enabled(): boolean {
    return this.#compactor.enabled;
  }

  set enabled(isEnabled: boolean) {
    this.#compactor.enabled = isEnabled;
  }

  readonly next: Next = (outcome, signal) => this.#compactor.next(outcome, signal);

  beforeRun(signal: AbortSignal): Promise<void> {
    return this.#compactor.beforePrompt(signal);
  }

  before(event: AgentEvent): void {
    if (event.type !== "agent_end") return;
    this.#stopReason = event.stopReason;
    this.#afterRun = new AbortController(); // a listener of the run's end may abort the compaction that follows
  }

  afterRun(): Promise<void> {
    return this.#compactor.afterRun(this.#stopReason, this.#afterRun.signal);
  }

  /** A session that was just opened is idle; after a move in its tree, it is idle when its next run has ended. */
  restore(cause: RestoreCause): void {
    if (cause !== "moved") this.#compactor.watchIdle();
  }

  compact(customInstructions?: string): Promise<CompactionResult> {
    return this.#translated(() => this.#compactor.compact(customInstructions));
  }

  async #translated<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw error instanceof CompactionError ? new SessionError(CODES[error.code], error.message) : error;
    }
  }

  /** Continues from another entry of the session's tree; no run may be active. */
  async navigate(entryId: string, options: NavigateOptions): Promise<Navigation> {
    return this.#translated(() => this.#compactor.navigate(entryId, options));
  }

  abort(): Promise<void> {
    this.#afterRun.abort();
    return this.#compactor.abort();
  }

  close(): Promise<void> {
    return this.#compactor.dispose();
  }
}
