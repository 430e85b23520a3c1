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

/** How much a conversation must have grown before what failed at a threshold is tried again. */
const GROWTH_BEFORE_RETRY = 1.05;

/** Decides when a conversation is compacted, and is the only one that does it. Planning and summarizing are loaded then. */
export class Compactor {
  readonly #parts: CompactorParts;
  readonly #size = new ContextSize();
  readonly #work: ExclusiveWork;
  readonly #idle: IdleWatch;
  /** Of this session only; the user's settings stay as they are. */
  #isEnabled: boolean | undefined;
  /** How large the conversation was when compacting it at the threshold came to nothing. */
  #gaveUpAt: number | undefined;
  #hasRecovered = false;
  /** Counts aborts: what was about to start before one must not start after it. */
  #abortCount = 0;

  constructor(parts: CompactorParts) {
    this.#parts = parts;
    this.#work = new ExclusiveWork(parts.clock);
    this.#idle = new IdleWatch(parts.clock, () => this.#checkIdle());
  }

  get isCompacting(): boolean {
    return this.#work.isRunning;
  }

  /** Whether it happens by itself. */
  get enabled(): boolean {
    const { settings } = this.#parts;
    return this.#isEnabled ?? (settings.get("compaction.enabled") && settings.get("compaction.strategy") !== "off");
  }

  set enabled(isEnabled: boolean) {
    this.#isEnabled = isEnabled;
  }

  /** Before a run starts. Waits for a compaction under way. Never rejects: without it the prompt is tried all the same. */
  async beforePrompt(signal: AbortSignal): Promise<void> {
    this.#idle.stop();
    await this.#work.settled();
    this.#hasRecovered = false;
    this.#gaveUpAt = undefined;
    await this.#checkThreshold(signal);
  }

  /** A policy of the loop: compacts between two turns, and gives a request that was too large another try. */
  async next(outcome: Outcome, signal: AbortSignal): Promise<NextStep | undefined> {
    if (outcome.state === "failed") return this.#recover(outcome, signal);
    this.#hasRecovered = false; // the request fitted
    if (outcome.state === "continues" && this.#parts.settings.get("compaction.midTurn")) {
      await this.#checkThreshold(signal, { isMidRun: true });
    }
    return undefined;
  }

  /** Between a run's end and the moment it is settled. The signal is for an abort that comes after the run's end. */
  async afterRun(stopReason: RunStopReason, signal?: AbortSignal): Promise<void> {
    this.#hasRecovered = false;
    if (stopReason !== "aborted") await this.#checkThreshold(signal);
    this.watchIdle();
  }

  /** From now on the conversation rests. To be called for a session that was opened; after a run it happens by itself. */
  watchIdle(): void {
    const { settings } = this.#parts;
    if (settings.get("compaction.idleEnabled")) this.#idle.start(settings.get("compaction.idleTimeoutSeconds") * 1000);
  }

  /** On request; no run may be active. Throws CompactionError. */
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

  /** Goes to another place of the session's tree; no run may be active. Throws CompactionError when it is stopped. */
  async navigate(targetId: string, options: NavigateOptions = {}): Promise<Navigation> {
    return this.#runAsked(async (signal) => {
      const { navigateTree } = await import("./tree-navigation.ts");
      return navigateTree(this.#parts, targetId, options, signal);
    });
  }

  /** Stops whatever compaction is under way, and resolves when it has ended. Harmless when there is none. */
  abort(): Promise<void> {
    this.#abortCount += 1;
    return this.#work.abort();
  }

  dispose(): Promise<void> {
    this.#idle.stop();
    return this.abort();
  }

  /** An abort reaches also what still waits for its turn. */
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
    // A server that drops what does not fit, without a word, counts what is left.
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

  /** By itself. What cannot be stored is not worth a summary. */
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

  /** Once per request: a conversation that does not fit after it was compacted would not fit after the second time either. */
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

  /** Never rejects; its end says what came of it. True: the conversation is shorter now. */
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
      // A look that found nothing to do is told only where an answer depends on it.
      if (isStarted || !failure.skipped || reason === "overflow") end(failure);
      return false;
    }
  }

  /** `begin` is called when it is known that there is something to do. */
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
