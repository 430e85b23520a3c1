/** Something the agent waits for, in the order in which the waits began. */
export interface Gate {
  kind:
    | "model"
    | "tool"
    | "messageEnd"
    | "toolCall"
    | "permit"
    | "toolResult"
    | "next"
    | "beforeCall"
    | "setup"
    | "claim";
  /** Opens the gate. Returns true if that ends the wait. */
  complete(how: number): boolean;
}

/** Everything the agent currently waits for. */
export class Gates {
  #open: Gate[] = [];

  get count(): number {
    return this.#open.length;
  }

  has(kind: Gate["kind"]): boolean {
    return this.#open.some((gate) => gate.kind === kind);
  }

  add(gate: Gate): () => void {
    this.#open.push(gate);
    return () => {
      this.#open = this.#open.filter((other) => other !== gate);
    };
  }

  /** A promise that waits for a gate; `settle` decides how it ends. */
  wait<T>(kind: Gate["kind"], settle: (how: number) => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const leave = this.add({
        kind,
        complete: (how) => {
          leave();
          try {
            resolve(settle(how));
          } catch (error) {
            reject(error);
          }
          return true;
        },
      });
    });
  }

  complete(pick: number, how: number): void {
    this.#open[pick % (this.#open.length || 1)]?.complete(how);
  }

  completeAll(kind: Gate["kind"], how: number): boolean {
    const waiting = this.#open.filter((gate) => gate.kind === kind);
    for (const gate of waiting) gate.complete(how);
    return waiting.length > 0;
  }
}
