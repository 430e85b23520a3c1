/** Actions in their order, at once or, while there is a reason to hold them, when the last reason is gone. */
export class HoldableOrder {
  readonly #reasons = new Set<string>();
  #waiting: (() => void)[] = [];

  get isHolding(): boolean {
    return this.#reasons.size > 0;
  }

  /** How many wait. */
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

  /** Those behind the first so many are forgotten. */
  cut(length: number): void {
    this.#waiting = this.#waiting.slice(0, length);
  }
}
