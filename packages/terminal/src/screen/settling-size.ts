/**
 * Tracks whether the window keeps its size. While it is dragged, or if tmux reports a change late, a frame would be
 * drawn for another size than it arrives at, and its lines would wrap unexpectedly.
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

  /** False: `onSettled` will be called. The first size is drawn at once. */
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
