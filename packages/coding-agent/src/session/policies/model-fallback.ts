import type { AgentEvent, Clock, NextStep, Outcome } from "@pintle/agent";
import { isPassing } from "@pintle/ai";
import type { SessionManager } from "@pintle/storage";
import type { AgentSessionEvent } from "@pintle/wire";
import { matchModel } from "../../config/models/model-pattern.ts";
import type { Settings } from "../../config/settings/settings.ts";
import type { ModelState } from "../models/model-state.ts";
import type { RunPolicy } from "./policy.ts";

/** The only role that the models of a session have. */
const ROLE = "default";
/** How long the failed model is not used, unless its provider asks for more. */
const COOLDOWN_MS = 5 * 60_000;

export interface ModelFallbackParts {
  settings: Pick<Settings, "get">;
  clock: Clock;
  models: ModelState;
  manager(): SessionManager;
  emit(event: AgentSessionEvent): void;
  /** Whether the user aborted the wait for another attempt. */
  isCancelled(): boolean;
}

/**
 * Switches to the next model of the configured chain after all attempts with one model have failed. The session keeps the model
 * that the user chose.
 */
export class ModelFallback implements RunPolicy {
  readonly name = "model fallback";
  readonly #parts: ModelFallbackParts;
  #returnAt: number | undefined;
  #isUnproven = false;

  constructor(parts: ModelFallbackParts) {
    this.#parts = parts;
  }

  /** Comes after the retry policy in the list, so the attempts with the same model are exhausted. */
  readonly next = async ({ state, failure }: Outcome): Promise<NextStep | undefined> => {
    const { settings, clock, models } = this.#parts;
    if (state !== "failed" || !failure || !isPassing(failure) || this.#parts.isCancelled()) return undefined;
    const from = models.current;
    const chain = settings.get("retry.fallbackChains")[ROLE] ?? [];
    const candidates = chain.flatMap((pattern) => matchModel(pattern, { models: models.available() }) ?? []);
    const at = candidates.findIndex(({ provider, id }) => provider === from.provider && id === from.id);
    const to = candidates[at + 1];
    if (!to) return undefined;
    models.fallBackTo(to);
    this.#returnAt = clock.now() + Math.max(COOLDOWN_MS, failure.retryAfterMs ?? 0);
    this.#isUnproven = true;
    this.#parts.manager().appendModelChange({ provider: to.provider, modelId: to.id }, "fallback");
    const nameOf = ({ provider, id }: { provider: string; id: string }) => `${provider}/${id}`;
    this.#parts.emit({ type: "retry_fallback_applied", from: nameOf(from), to: nameOf(to), role: ROLE });
    return { kind: "retry" };
  };

  /** Returns to the chosen model after its cooldown. */
  prepare(): void {
    const { settings, clock, models } = this.#parts;
    const mayReturn = settings.get("retry.fallbackRevertPolicy") === "cooldown-expiry";
    if (this.#returnAt === undefined || !mayReturn || clock.now() < this.#returnAt) return;
    this.#returnAt = undefined;
    models.fallBackTo(undefined);
  }

  after(event: AgentEvent): void {
    if (!this.#isUnproven || event.type !== "message_end" || event.message.role !== "assistant") return;
    const { stopReason, provider, model } = event.message;
    if (stopReason === "error" || stopReason === "aborted") return;
    this.#isUnproven = false;
    this.#parts.emit({ type: "retry_fallback_succeeded", model: `${provider}/${model}`, role: ROLE });
  }
}
