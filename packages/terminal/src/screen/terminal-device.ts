import { ProcessTerminal } from "@earendil-works/pi-tui";

const FLUSH_MS = 1_000;

/** The terminal of this process. Knows whether it keeps up with what is written, and when it is gone. */
export class TerminalDevice extends ProcessTerminal {
  #isClogged = false;
  #isGone = false;
  readonly #onDrain: () => void;

  /** `onDrain`: the terminal takes frames again. */
  constructor(onDrain: () => void, onGone: () => void) {
    super();
    this.#onDrain = onDrain;
    process.stdout.on("error", () => {
      this.#isGone = true;
      onGone();
    });
  }

  get isReady(): boolean {
    return !this.#isClogged && !this.#isGone;
  }

  override write(data: string): void {
    if (this.#isGone || process.stdout.write(data) || this.#isClogged) return;
    this.#isClogged = true;
    process.stdout.once("drain", () => {
      this.#isClogged = false;
      this.#onDrain();
    });
  }

  /** Resolves when everything has reached the terminal; one that takes nothing is not waited for. */
  flush(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isGone) return resolve();
      setTimeout(resolve, FLUSH_MS);
      process.stdout.write("", () => resolve());
    });
  }
}
