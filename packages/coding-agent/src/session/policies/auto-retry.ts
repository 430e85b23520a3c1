import type { AgentEvent, Clock, NextStep, Outcome } from "@pintle/agent";
import { isContextOverflowText, isWorthRetrying } from "@pintle/ai";
import type { AgentSessionEvent } from "@pintle/wire";
import type { Settings } from "../../config/settings/settings.ts";
import type { RunPolicy } from "./policy.ts";

/** The longest delay before another attempt, unless the server asks for more. */
const LONGEST_BACKOFF_MS = 30_000;

const CANCELLED_TEXT = "Retry cancelled";

export interface AutoRetryParts {
  settings: Pick<Settings, "get">;
  clock: Clock;
  emit(event: AgentSessionEvent): void;
}

/** Retries a failed model call. Each chain of attempts emits one start per attempt and exactly one end. */
export class AutoRetry implements RunPolicy {
  readonly name = "retry";
  readonly #parts: AutoRetryParts;
  /** Set for this session only; the user's setting stays unchanged. */
  #isEnabled: boolean | undefined;
  #attempt = 0;
  #lastError = "";
  #wait: AbortController | undefined;

  constructor(parts: AutoRetryParts) {
    this.#parts = parts;
  }

  get enabled(): boolean {
    return this.#isEnabled ?? this.#parts.settings.get("retry.enabled");
  }

  set enabled(enabled: boolean) {
    this.#isEnabled = enabled;
  }

  /** Whether the user aborted the wait for the next attempt. */
  get isCancelled(): boolean {
    return this.#lastError === CANCELLED_TEXT;
  }

  /** Ends the wait for the next attempt, and with it the run. Returns whether there was one. */
  abort(): boolean {
    this.#wait?.abort();
    return this.#wait !== undefined;
  }

  readonly next = async ({ state, failure, message }: Outcome, signal: AbortSignal): Promise<NextStep | undefined> => {
    if (state !== "failed" || !failure) return undefined;
    this.#lastError = message.errorMessage ?? "The model call failed";
    // Some servers report a request that is too large with a 500; repeating it would fail again.
    if (!this.enabled || !isWorthRetrying(failure) || isContextOverflowText(this.#lastError)) return undefined;
    const { settings } = this.#parts;
    const maxAttempts = settings.get("retry.maxRetries");
    if (this.#attempt >= maxAttempts) return undefined;
    const { retryAfterMs = 0 } = failure;
    if (retryAfterMs > settings.get("retry.maxDelayMs")) {
      this.#lastError += ` (the server asks to wait ${Math.ceil(retryAfterMs / 1000)} seconds, which is more than retry.maxDelayMs)`;
      return undefined;
    }
    this.#attempt += 1;
    const delayMs = Math.max(
      Math.min(settings.get("retry.baseDelayMs") * 2 ** (this.#attempt - 1), LONGEST_BACKOFF_MS),
      retryAfterMs,
    );
    return (await this.#waitFor({ delayMs, maxAttempts }, signal)) ? { kind: "retry" } : undefined;
  };

  /** Ends the chain of attempts before the run ends. */
  before(event: AgentEvent): void {
    if (event.type === "agent_end") this.#end({ success: false, finalError: this.#lastError });
  }

  after(event: AgentEvent): void {
    if (event.type !== "message_end" || event.message.role !== "assistant") return;
    const { stopReason } = event.message;
    if (stopReason === "aborted") this.#lastError = CANCELLED_TEXT;
    else if (stopReason !== "error") this.#end({ success: true });
  }

  /** Resolves to false if the wait was aborted. */
  async #waitFor(plan: { delayMs: number; maxAttempts: number }, signal: AbortSignal): Promise<boolean> {
    this.#wait = new AbortController();
    const either = AbortSignal.any([signal, this.#wait.signal]);
    this.#parts.emit({ type: "auto_retry_start", attempt: this.#attempt, ...plan, errorMessage: this.#lastError });
    await this.#parts.clock.delay(plan.delayMs, either);
    this.#wait = undefined;
    if (either.aborted) this.#lastError = CANCELLED_TEXT;
    return !either.aborted;
  }

  #end(outcome: { success: true } | { success: false; finalError: string }): void {
    if (this.#attempt === 0) return;
    this.#parts.emit({ type: "auto_retry_end", attempt: this.#attempt, ...outcome });
    this.#attempt = 0;
  }
}
