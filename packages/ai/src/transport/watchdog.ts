import { ProviderError } from "../errors.ts";
import { LONGEST_TIMER_MS } from "../foundation/delay.ts";

export const DEFAULT_IDLE_TIMEOUT_MS = 120_000;
/**
 * Comments and partial events keep a connection alive, but a server that sends nothing else for this many periods is
 * dead.
 */
const PERIODS_WITHOUT_EVENT = 5;
export function stallError(idleMs: number): ProviderError {
  return new ProviderError("stall", `stream stall: nothing received for ${Math.round(idleMs / 1000)} s`);
}

/**
 * Ends a connection on which nothing arrives. Measures only while waiting for the server, not while a slow reader
 * causes the delay. One timer is re-armed when it fires, so touching the watchdog costs one assignment and may happen
 * per chunk.
 */
export class IdleWatchdog {
  readonly #onStall: () => void;
  readonly #eventLimitMs: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #waitingSince: number | undefined;
  #limitMs: number;
  #waitedWithoutEvent = 0;

  constructor(idleMs: number, onStall: () => void) {
    this.#onStall = onStall;
    this.#limitMs = idleMs;
    this.#eventLimitMs = idleMs * PERIODS_WITHOUT_EVENT;
    if (idleMs > 0) this.#waitingSince = performance.now();
    this.#arm();
  }

  /** Gives the server `limitMs` from now to send something; 0 waits without limit. */
  wait(limitMs: number): void {
    const shorter = limitMs < this.#limitMs;
    this.#limitMs = limitMs;
    this.#waitingSince = limitMs > 0 ? performance.now() : undefined;
    if (shorter) this.#disarm();
    if (this.#timer === undefined) this.#arm();
  }

  pause(): void {
    if (this.#waitingSince !== undefined) this.#waitedWithoutEvent += performance.now() - this.#waitingSince;
    this.#waitingSince = undefined;
  }

  sawEvent(): void {
    this.#waitedWithoutEvent = 0;
  }

  stop(): void {
    this.#disarm();
    this.#waitingSince = undefined;
  }

  #disarm(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #arm(delayMs = this.#limitMs): void {
    if (this.#limitMs <= 0) return;
    this.#timer = setTimeout(() => this.#check(), Math.min(delayMs, LONGEST_TIMER_MS));
  }

  #check(): void {
    this.#timer = undefined;
    const waited = this.#waitingSince === undefined ? 0 : performance.now() - this.#waitingSince;
    const left = Math.min(this.#limitMs - waited, this.#eventLimitMs - this.#waitedWithoutEvent - waited);
    if (this.#waitingSince !== undefined && left <= 0) this.#onStall();
    else this.#arm(Math.max(1, left));
  }
}
