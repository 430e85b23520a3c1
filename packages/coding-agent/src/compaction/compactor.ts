import type { NextStep, Outcome, RunStopReason } from "@pintle/agent";
import {
  CompactionError,
  cancelled,
  describeFailure,
  isCancelled,
  reasonOf,
  SECOND_OVERFLOW,
} from "./compaction-error.ts";
import type { AutoReason, CompactionEvent, CompactionResult, CompactorParts } from "./compaction-types.ts";
import { ExclusiveWork } from "./exclusive-work.ts";
import { IdleWatch } from "./idle-watch.ts";
import { ContextSize } from "./size/context-size.ts";
import { isOverflow } from "./size/overflow.ts";
import { compactionThreshold } from "./size/threshold.ts";
import type { NavigateOptions, Navigation } from "./tree-navigation.ts";

type AutoEnd = Extract<CompactionEvent, { type: "auto_compaction_end" }>;

/** How much a conversation must grow before a failed threshold compaction is retried. */
const GROWTH_BEFORE_RETRY = 1.05;

/** Decides when to compact a conversation, and does it. Loads the code for planning and summarizing on first use. */
export class Compactor {
  readonly #parts: CompactorParts;
  readonly #size = new ContextSize();
  readonly #work: ExclusiveWork;
  readonly #idle: IdleWatch;
  /** Applies to this session only; the user's settings do not change. */
  #isEnabled: boolean | undefined;
  /** Size of the conversation at the last unsuccessful threshold compaction. */
  #gaveUpAt: number | undefined;
  #hasRecovered = false;
  /** Counts aborts, so that work scheduled before an abort does not start after it. */
  #abortCount = 0;

  constructor(parts: CompactorParts) {
    this.#parts = parts;
    this.#work = new ExclusiveWork(parts.clock);
    this.#idle = new IdleWatch(parts.clock, () => this.#checkIdle());
  }

  get isCompacting(): boolean {
    return this.#work.isRunning;
  }

  /** Whether automatic compaction is on. */
  get enabled(): boolean {
    const { settings } = this.#parts;
    return this.#isEnabled ?? (settings.get("compaction.enabled") && settings.get("compaction.strategy") !== "off");
  }

  set enabled(isEnabled: boolean) {
    this.#isEnabled = isEnabled;
  }

  /** Called before a run starts. Waits for a running compaction. Never rejects, because the prompt is sent either way. */
  async beforePrompt(signal: AbortSignal): Promise<void> {
    this.#idle.stop();
    await this.#work.settled();
    this.#hasRecovered = false;
    this.#gaveUpAt = undefined;
    await this.#checkThreshold(signal);
  }

  /** Loop policy: compacts between turns, and retries a request that was too large. */
  async next(outcome: Outcome, signal: AbortSignal): Promise<NextStep | undefined> {
    if (outcome.state === "failed") return this.#recover(outcome, signal);
    this.#hasRecovered = false; // the request fit
    if (outcome.state === "continues") await this.#checkThreshold(signal, { isMidRun: true });
    return undefined;
  }

  /** Called between the end of a run and `agent_settled`. The signal covers an abort after the end of the run. */
  async afterRun(stopReason: RunStopReason, signal?: AbortSignal): Promise<void> {
    this.#hasRecovered = false;
    if (stopReason !== "aborted") await this.#checkThreshold(signal);
    this.watchIdle();
  }

  /** Starts the idle timer. Call it for an opened session; after a run it happens automatically. */
  watchIdle(): void {
    const { settings } = this.#parts;
    if (settings.get("compaction.idleEnabled")) this.#idle.start(settings.get("compaction.idleTimeoutSeconds") * 1000);
  }

  /** Compacts on request. No run may be active. Throws CompactionError. */
  async compact(customInstructions?: string): Promise<CompactionResult> {
    const emit = (event: CompactionEvent) => this.#parts.emit(event);
    this.#idle.stop();
    const end = { type: "compaction_end" as const, reason: "manual" as const, willRetry: false };
    let isStarted = false;
    try {
      const result = await this.#runAsked((signal) => {
        isStarted = true;
        emit({ type: "compaction_start", reason: "manual" });
        return this.#compact("manual", signal, customInstructions === undefined ? {} : { customInstructions });
      });
      emit({ ...end, result, aborted: false });
      return result;
    } catch (error) {
      const aborted = isCancelled(error);
      const reason = aborted ? {} : { errorMessage: `Compaction failed: ${reasonOf(error)}` };
      if (isStarted) emit({ ...end, result: null, aborted, ...reason });
      throw error;
    } finally {
      this.watchIdle();
    }
  }

  /** Moves to another entry of the session's tree. No run may be active. Throws CompactionError if it is stopped. */
  async navigate(targetId: string, options: NavigateOptions = {}): Promise<Navigation> {
    return this.#runAsked(async (signal) => {
      const { navigateTree } = await import("./tree-navigation.ts");
      return navigateTree(this.#parts, targetId, options, signal);
    });
  }

  /** Stops a running compaction and resolves when it has ended. Does nothing if there is none. */
  abort(): Promise<void> {
    this.#abortCount += 1;
    return this.#work.abort();
  }

  dispose(): Promise<void> {
    this.#idle.stop();
    return this.abort();
  }

  /** An abort also stops work that is still waiting. */
  #runAsked<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const abortCount = this.#abortCount;
    return this.#work.runAsked(this.#parts.settings.get("agent.abortGraceMs"), async (signal) => {
      if (this.#abortCount !== abortCount) throw cancelled();
      return work(signal);
    });
  }

  #tokens(): number {
    this.#size.update(this.#parts.messages());
    const overhead = this.#parts.overheadTokens();
    const counted = this.#size.tokens(() => overhead);
    // A server that silently truncates the input reports only the usage of the rest.
    const window = this.#parts.model()?.contextWindow ?? 0;
    const estimate = overhead + this.#size.estimate;
    return window > 0 && estimate > window ? Math.max(counted, estimate) : counted;
  }

  #threshold(): number | undefined {
    const { settings } = this.#parts;
    const wanted = {
      reserveTokens: settings.get("compaction.reserveTokens"),
      thresholdTokens: settings.get("compaction.thresholdTokens"),
      thresholdPercent: settings.get("compaction.thresholdPercent"),
    };
    return compactionThreshold(this.#parts.model()?.contextWindow ?? 0, wanted, this.#parts.overheadTokens());
  }

  /** Compacts automatically. Does nothing if the result could not be stored. */
  #mayStart(): boolean {
    return this.enabled && !this.isCompacting && !this.#parts.session().isReadOnly;
  }

  async #checkThreshold(signal?: AbortSignal, place = { isMidRun: false }): Promise<void> {
    const threshold = this.#threshold();
    if (threshold === undefined || signal?.aborted || !this.#mayStart()) return;
    const tokens = this.#tokens();
    if (tokens <= threshold || this.#size.isFreshlyCompacted) return;
    if (this.#gaveUpAt !== undefined && tokens < this.#gaveUpAt * GROWTH_BEFORE_RETRY) return;
    const abortCount = this.#abortCount;
    const { pruneToFit } = await import("./plan/prune-plan.ts");
    if (signal?.aborted || this.#abortCount !== abortCount || !this.#mayStart()) return;
    if (pruneToFit(this.#parts, tokens - threshold)) return;
    const isDone = await this.#automatic("threshold", signal, place);
    this.#gaveUpAt = isDone ? undefined : tokens;
  }

  async #checkIdle(): Promise<void> {
    if (!this.#parts.model() || !this.#mayStart()) return;
    const isLarge = this.#tokens() > this.#parts.settings.get("compaction.idleThresholdTokens");
    if (isLarge && !this.#size.isFreshlyCompacted) await this.#automatic("idle");
  }

  /** Once per request: if the conversation does not fit after one compaction, a second would not help. */
  async #recover(outcome: Outcome, signal: AbortSignal): Promise<NextStep | undefined> {
    const model = this.#parts.model();
    if (!model || signal.aborted || !this.#mayStart()) return undefined;
    const tokens = this.#tokens();
    if (!isOverflow(outcome, model, () => tokens > (this.#threshold() ?? Number.POSITIVE_INFINITY))) return undefined;
    const isDone = this.#hasRecovered ? this.#refuseRecovery() : await this.#automatic("overflow", signal);
    this.#hasRecovered = true;
    this.#gaveUpAt = isDone ? undefined : tokens;
    return isDone ? { kind: "retry" } : undefined;
  }

  #refuseRecovery(): false {
    const event = { reason: "overflow", action: "context-full" } as const;
    this.#parts.emit({ type: "auto_compaction_start", ...event });
    const end = { aborted: false, willRetry: false, errorMessage: SECOND_OVERFLOW };
    this.#parts.emit({ type: "auto_compaction_end", ...event, ...end });
    return false;
  }

  /** Never rejects; the end event has the outcome. Returns true if the conversation is shorter now. */
  async #automatic(reason: AutoReason, signal?: AbortSignal, place?: { isMidRun: boolean }): Promise<boolean> {
    const event = { reason, action: "context-full" } as const;
    let isStarted = false;
    const begin = () => {
      isStarted = true;
      this.#parts.emit({ type: "auto_compaction_start", ...event });
    };
    const end = (outcome: Pick<AutoEnd, "result" | "aborted" | "skipped" | "errorMessage">, willRetry = false) => {
      if (!isStarted) begin();
      this.#parts.emit({ type: "auto_compaction_end", ...event, willRetry, ...outcome });
    };
    try {
      const work = (stop: AbortSignal) => this.#compact(reason, stop, { begin, ...place });
      const result = await this.#work.runAutomatic(signal, work);
      end({ result, aborted: false }, reason === "overflow");
      return true;
    } catch (error) {
      const failure = describeFailure(error, reason);
      // A check that found nothing to do is reported only if a response depends on it.
      if (isStarted || !failure.skipped || reason === "overflow") end(failure);
      return false;
    }
  }

  /** Calls `begin` once it is certain that there is something to do. */
  async #compact(
    reason: AutoReason | "manual",
    signal: AbortSignal,
    { begin, ...asked }: { begin?(): void; isMidRun?: boolean; customInstructions?: string },
  ): Promise<CompactionResult> {
    const { settings } = this.#parts;
    if (!this.#parts.model()) throw new CompactionError("no_model", "No model selected");
    const { runCompaction } = await import("./run-compaction.ts");
    const tokensBefore = this.#tokens();
    const { measure } = this.#size;
    const threshold = this.#threshold();
    const request = {
      reason,
      reserveTokens: settings.get("compaction.reserveTokens"),
      keepRecentTokens: settings.get("compaction.keepRecentTokens"),
      tokensBefore,
      overheadTokens: this.#parts.overheadTokens(),
      ...(threshold !== undefined && { threshold }),
      ...(measure && { measure }),
      ...asked,
    };
    return runCompaction(this.#parts, request, { signal, ...(begin && { begin }) });
  }
}
