/** Runs actions in order: immediately, or, while held, once the last hold is released. */
export class HoldableOrder {
  readonly #reasons = new Set<string>();
  #waiting: (() => void)[] = [];

  get isHolding(): boolean {
    return this.#reasons.size > 0;
  }

  /** The number of queued actions. */
  get length(): number {
    return this.#waiting.length;
  }

  run(action: () => void): void {
    if (this.isHolding) this.#waiting.push(action);
    else action();
  }

  hold(reason: string): void {
    this.#reasons.add(reason);
  }

  release(reason: string): void {
    this.#reasons.delete(reason);
    while (!this.isHolding) {
      const action = this.#waiting.shift();
      if (!action) return;
      action();
    }
  }

  /** Drops all queued actions after the first `length`. */
  cut(length: number): void {
    this.#waiting = this.#waiting.slice(0, length);
  }
}
