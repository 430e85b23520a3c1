import { ProcessTerminal, setCellDimensions } from "@earendil-works/pi-tui";
import { DeviceAttributes } from "./device-attributes.ts";

const FLUSH_MS = 1_000;
/** Of a cell, as the first terminals with sixel images had it: for those that do not say. */
const CELL = { widthPx: 10, heightPx: 20 };
const ASK_CELL_SIZE = "\u001b[16t";

/** The terminal of this process. Knows whether it keeps up with what is written, and when it is gone. */
export class TerminalDevice extends ProcessTerminal {
  #isClogged = false;
  #isGone = false;
  readonly #onDrain: () => void;
  readonly #onRead: (piece: string) => void;
  readonly #attributes = new DeviceAttributes();
  readonly #onData = (piece: string | Buffer) => {
    this.#onRead(String(piece));
    if (!this.#attributes.read(String(piece)) || !this.hasSixel) return;
    setCellDimensions(CELL);
    this.write(ASK_CELL_SIZE);
  };

  /** `onDrain`: the terminal takes frames again. `onRead` gets each read as a whole, before the keys in it are handled. */
  constructor({ onDrain, onRead, onGone }: { onDrain(): void; onRead(piece: string): void; onGone(): void }) {
    super();
    this.#onDrain = onDrain;
    this.#onRead = onRead;
    process.stdout.on("error", () => {
      this.#isGone = true;
      onGone();
    });
  }

  /** As it is at this moment: the signal for another size comes later than the size. */
  override get columns(): number {
    return process.stdout.getWindowSize?.()[0] || super.columns;
  }

  override get rows(): number {
    return process.stdout.getWindowSize?.()[1] || super.rows;
  }

  get isReady(): boolean {
    return !this.#isClogged && !this.#isGone;
  }

  get hasSixel(): boolean {
    return this.#attributes.hasSixel;
  }

  /** What the terminal is was asked with the keys it knows. */
  override start(onInput: (data: string) => void, onResize: () => void): void {
    process.stdin.on("data", this.#onData);
    super.start(onInput, onResize);
  }

  override stop(): void {
    process.stdin.off("data", this.#onData);
    super.stop();
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
