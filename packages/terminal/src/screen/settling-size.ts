/**
 * Whether the window keeps its size. While it is dragged, or when tmux tells of a change later than it makes it, a frame would be for
 * another size than the one it arrives at, and its lines would be broken where none was counted.
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
