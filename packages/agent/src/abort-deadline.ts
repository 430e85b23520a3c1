import { unlessAborted } from "@pintle/ai";
import type { LoopDeps } from "./types.ts";

/** Extra time for a hook after tools and policies were abandoned. */
const HOOK_EXTRA_MS = 1_000;

type Patience = "work" | "hook";

/**
 * Guarantees that an abort ends. The time starts once, at the abort, for everything the run still waits for: `work`
 * (tools, policies) gets the grace period, `hook`s, which decide about the final messages, one second more.
 */
export class AbortDeadline {
  readonly #over = { work: new AbortController(), hook: new AbortController() };
  readonly #closed = new AbortController();

  constructor({ clock, limits }: Pick<LoopDeps, "clock" | "limits">, signal: AbortSignal) {
    const count = async () => {
      await clock.delay(limits().abortGraceMs, this.#closed.signal);
      this.#over.work.abort();
      await clock.delay(HOOK_EXTRA_MS, this.#closed.signal);
      this.#over.hook.abort();
    };
    // The clock's delay never rejects.
    signal.addEventListener("abort", () => void count(), { once: true, signal: this.#closed.signal });
  }

  /**
   * Waits for work that has the signal and may need to clean up when it fires. Returns undefined if the work was
   * abandoned.
   */
  withinGrace<T>(patience: Patience, work: T | Promise<T>): Promise<T | undefined> {
    return unlessAborted(work, this.#over[patience].signal);
  }

  /** Called at the end of the run, so that no timer is left. */
  close(): void {
    this.#closed.abort();
  }
}
