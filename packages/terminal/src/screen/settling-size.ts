/**
 * Tracks whether the window size is stable. During a resize, or if tmux reports it late, a frame would be drawn for one size
 * and shown at another, where its lines wrap unexpectedly.
 */
export class SettlingSize {
  readonly #settleMs: number;
  readonly #onSettled: () => void;
  #size = "";
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(settleMs: number, onSettled: () => void) {
    this.#settleMs = settleMs;
    this.#onSettled = onSettled;
  }

  /** Returns false while the size changes; `onSettled` follows. The first size counts as settled. */
  isSettled(width: number, height: number): boolean {
    const size = `${width} ${height}`;
    if (this.#size === "") this.#size = size;
    if (size !== this.#size) {
      this.#size = size;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => {
        this.#timer = undefined;
        this.#onSettled();
      }, this.#settleMs);
    }
    return this.#timer === undefined;
  }
}
