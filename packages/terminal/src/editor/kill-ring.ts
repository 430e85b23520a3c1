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

  /** Ends the current entry, because another action followed the deletion. */
  close(): void {
    this.#isOpen = false;
  }

  get newest(): string | undefined {
    return this.#kills.at(-1);
  }

  /** Rotates to the previous entry and returns it. */
  rotate(): string | undefined {
    const newest = this.#kills.pop();
    if (newest !== undefined) this.#kills.unshift(newest);
    return this.newest;
  }
}
