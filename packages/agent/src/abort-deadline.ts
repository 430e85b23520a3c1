import { unlessAborted } from "@pintle/ai";
import type { LoopDeps } from "./types.ts";

/** What a hook still gets after tools and policies were given up. */
const HOOK_EXTRA_MS = 1_000;

type Patience = "work" | "hook";

/**
 * An abort must end, whatever others do. Counted once from the abort, for all that the run still waits for: `work` (tools,
 * policies) has the time of grace, `hook`s, which decide about the messages that end with it, a second more.
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
    // A delay of the clock does not reject.
    signal.addEventListener("abort", () => void count(), { once: true, signal: this.#closed.signal });
  }

  /** Waits for work that has the signal and something to bring to an end when it fires. Undefined: it was left behind. */
  withinGrace<T>(patience: Patience, work: T | Promise<T>): Promise<T | undefined> {
    return unlessAborted(work, this.#over[patience].signal);
  }

  /** The run is over: no timer stays behind. */
  close(): void {
    this.#closed.abort();
  }
}
