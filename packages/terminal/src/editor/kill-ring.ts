const MAX_KILLS = 30;

/** Keeps deleted text for inserting it again, as a shell does. Consecutive deletions form one entry. */
export class KillRing {
  #kills: string[] = [];
  #isOpen = false;

  add(text: string, side: "before" | "after"): void {
    if (text === "") return;
    const last = this.#isOpen ? (this.#kills.pop() ?? "") : "";
    this.#kills.push(side === "before" ? text + last : last + text);
    if (this.#kills.length > MAX_KILLS) this.#kills.shift();
    this.#isOpen = true;
  }

  /** Something else was done since the last deletion. */
  close(): void {
    this.#isOpen = false;
  }

  get newest(): string | undefined {
    return this.#kills.at(-1);
  }

  /** Moves on to the text before the newest. */
  rotate(): string | undefined {
    const newest = this.#kills.pop();
    if (newest !== undefined) this.#kills.unshift(newest);
    return this.newest;
  }
}
