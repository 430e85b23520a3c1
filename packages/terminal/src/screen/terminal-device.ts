import type { CellSize } from "../images/image-drawer.ts";
import { InputSplitter } from "../keys/input-splitter.ts";
import { KeyboardModes } from "./keyboard-modes.ts";
import type { Background } from "./palettes.ts";

const FLUSH_MS = 1_000;
const DEFAULT_COLUMNS = 80;
const DEFAULT_ROWS = 24;
const CELL: CellSize = { widthPx: 9, heightPx: 18 };
/** The cell size of early sixel terminals, for terminals that do not report theirs. */
const SIXEL_CELL: CellSize = { widthPx: 10, heightPx: 20 };
const ASK_CELL_SIZE = "\u001b[16t";
// biome-ignore lint/suspicious/noControlCharactersInRegex: the answer of a terminal to the question above
const CELL_SIZE = /^\u001b\[6;(\d+);(\d+)t$/;
const ASK_BACKGROUND = "\u001b]11;?\u0007";
// biome-ignore lint/suspicious/noControlCharactersInRegex: the answer of a terminal to the question above
const BACKGROUND = /^\u001b\]11;rgba?:([0-9a-f]+)\/([0-9a-f]+)\/([0-9a-f]+)/i;
const REPORT_FOCUS = "\u001b[?1004h";
const REPORT_NO_FOCUS = "\u001b[?1004l";
const FOCUS_IN = "\u001b[I";
const FOCUS_OUT = "\u001b[O";
const SHOW_CURSOR = "\u001b[?25h";

export interface DeviceOptions {
  /** Whether the terminal draws images, so that the size of its cells matters. */
  drawsImages: boolean;
  /** How long an escape waits for the rest of a sequence. */
  escapeMs: number;
  /** Called when the terminal accepts frames again. */
  onDrain(): void;
  /** Receives each read as a whole, before the keys in it are handled. */
  onRead(piece: string): void;
  /** Called when the terminal has reported its background. */
  onBackground(background: Background): void;
  /** Called when the terminal is closed. */
  onGone(): void;
}

/** The terminal of this process: reads keys and reports, and knows whether the terminal keeps up with what is written. */
export class TerminalDevice {
  readonly #options: DeviceOptions;
  readonly #attributes = new DeviceAttributes();
  readonly #splitter = new InputSplitter();
  readonly #modes = new KeyboardModes((sequence) => this.write(sequence));
  #cell = CELL;
  #isClogged = false;
  #isGone = false;
  #hasFocus: boolean | undefined;
  #escapeTimer: ReturnType<typeof setTimeout> | undefined;
  #onKey: (data: string) => void = () => {};
  #onResize: () => void = () => {};

  constructor(options: DeviceOptions) {
    this.#options = options;
    process.stdout.on("error", () => {
      this.#isGone = true;
      options.onGone();
    });
  }

  /** Asks the system each time, because the resize signal arrives later than the new size. */
  get columns(): number {
    return process.stdout.getWindowSize?.()[0] || DEFAULT_COLUMNS;
  }

  get rows(): number {
    return process.stdout.getWindowSize?.()[1] || DEFAULT_ROWS;
  }

  get cell(): CellSize {
    return this.#cell;
  }

  get isReady(): boolean {
    return !this.#isClogged && !this.#isGone;
  }

  /** Returns whether the window has the focus; undefined if the terminal has never reported it. */
  get hasFocus(): boolean | undefined {
    return this.#hasFocus;
  }

  get hasSixel(): boolean {
    return this.#attributes.hasSixel;
  }

  start(onKey: (data: string) => void, onResize: () => void): void {
    this.#onKey = onKey;
    this.#onResize = onResize;
    const { stdin, stdout } = process;
    stdin.setRawMode?.(true);
    stdin.setEncoding("utf8");
    stdin.on("data", this.#read);
    stdin.resume();
    stdout.on("resize", this.#onResize);
    this.write(ASK_BACKGROUND + REPORT_FOCUS);
    this.#modes.start();
  }

  stop(): void {
    clearTimeout(this.#escapeTimer);
    this.#modes.stop();
    this.write(REPORT_NO_FOCUS + SHOW_CURSOR);
    const { stdin, stdout } = process;
    stdout.off("resize", this.#onResize);
    stdin.off("data", this.#read);
    stdin.pause();
    stdin.setRawMode?.(false);
  }

  setTitle(title: string): void {
    this.write(`\u001b]0;${title}\u0007`);
  }

  write(data: string): void {
    if (this.#isGone || process.stdout.write(data) || this.#isClogged) return;
    this.#isClogged = true;
    process.stdout.once("drain", () => {
      this.#isClogged = false;
      this.#options.onDrain();
    });
  }

  /** Resolves when everything has reached the terminal, or after a second if the terminal accepts nothing. */
  flush(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isGone) return resolve();
      setTimeout(resolve, FLUSH_MS);
      process.stdout.write("", () => resolve());
    });
  }

  readonly #read = (data: string | Buffer) => {
    const piece = String(data);
    clearTimeout(this.#escapeTimer);
    this.#options.onRead(piece);
    if (this.#attributes.read(piece)) this.#askCellSize();
    for (const part of this.#splitter.take(piece)) this.#take(part);
    if (this.#splitter.isWaiting)
      this.#escapeTimer = setTimeout(() => {
        for (const part of this.#splitter.flush()) this.#take(part);
      }, this.#options.escapeMs);
  };

  #take(part: string): void {
    const cell = CELL_SIZE.exec(part);
    const background = BACKGROUND.exec(part);
    if (part === FOCUS_IN || part === FOCUS_OUT) this.#hasFocus = part === FOCUS_IN;
    else if (background) this.#options.onBackground(brightness(background.slice(1)) > 0.5 ? "light" : "dark");
    else if (cell)
      this.#cell = { heightPx: Number(cell[1]) || CELL.heightPx, widthPx: Number(cell[2]) || CELL.widthPx };
    else if (!this.#modes.takeReport(part)) this.#onKey(part);
  }

  #askCellSize(): void {
    if (this.hasSixel) this.#cell = SIXEL_CELL;
    if (this.hasSixel || this.#options.drawsImages) this.write(ASK_CELL_SIZE);
  }
}

/** Returns the perceived brightness of a color, from 0 to 1. Terminals write each part with one to four hexadecimal digits. */
function brightness(parts: readonly string[]): number {
  const [red = 0, green = 0, blue = 0] = parts.map((part) => Number.parseInt(part, 16) / (16 ** part.length - 1));
  return 0.299 * red + 0.587 * green + 0.114 * blue;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal answers when it is asked what it is
const ANSWER = /\u001b\[\?([\d;]*)c/;
const SIXEL = "4";
/** Enough for a report that arrives in several reads. */
const MAX_KEPT = 256;

/** Reads the terminal's input until it has reported its attributes, and knows whether it draws sixel images. */
class DeviceAttributes {
  #kept = "";
  #hasSixel: boolean | undefined;

  get hasSixel(): boolean {
    return this.#hasSixel ?? false;
  }

  /** Returns true if this piece completes the report. */
  read(piece: string): boolean {
    if (this.#hasSixel !== undefined) return false;
    this.#kept = (this.#kept + piece).slice(-MAX_KEPT);
    const attributes = ANSWER.exec(this.#kept)?.[1]?.split(";");
    // The first number is the class of the terminal.
    if (attributes) this.#hasSixel = attributes.slice(1).includes(SIXEL);
    return attributes !== undefined;
  }
}
