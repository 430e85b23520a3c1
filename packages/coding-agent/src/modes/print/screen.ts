import type { OrderedOutput } from "./ordered-output.ts";
import { cutToWidth, terminalText } from "./terminal-text.ts";

export interface ScreenParts {
  output: Pick<OrderedOutput, "write" | "busy">;
  /** Whether to show the answer while it streams, because stdout is a terminal. */
  isStreaming: boolean;
  /** Whether the last line of stderr may be redrawn. */
  isAnimated: boolean;
  hasColors: boolean;
  columns(): number;
  now(): number;
}

const FRAMES = ["|", "/", "-", "\\"];
const FRAME_MS = 120;
const ERASE = "\r\u001b[2K";

/** Displays a run: the answer as it streams, lines about what happens, and what it is waiting for. */
export class Screen {
  readonly #parts: ScreenParts;
  readonly #startedAt: number;
  #activity: string | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #frame = 0;
  #isDrawn = false;
  /** The last line of the text on stdout. */
  #isLineOpen = false;
  #hasText = false;
  #isParagraphDue = false;
  /** The first half of a character whose second half has not arrived. */
  #half = "";

  constructor(parts: ScreenParts) {
    this.#parts = parts;
    this.#startedAt = parts.now();
  }

  get isStreaming(): boolean {
    return this.#parts.isStreaming;
  }

  /** Shows the next piece of the answer. */
  text(delta: string): void {
    const whole = this.#half + delta;
    this.#half = /[\ud800-\udbff]$/.exec(whole)?.[0] ?? "";
    const text = terminalText(whole.slice(0, whole.length - this.#half.length));
    if (text === "") return;
    this.#erase();
    this.#parts.output.write(1, this.#isParagraphDue && this.#hasText ? `\n${text}` : text);
    this.#isParagraphDue = false;
    this.#hasText = true;
    this.#isLineOpen = !text.endsWith("\n");
  }

  /** Ends a message, so that the next text starts another one. */
  endText(): void {
    this.#half = "";
    this.#closeLine();
    this.#isParagraphDue = true;
  }

  /** Prints a line about what happens to stderr. */
  progress(text: string): void {
    const { hasColors, isAnimated } = this.#parts;
    const fitting = isAnimated ? cutToWidth(text, this.#parts.columns() - 1) : text;
    this.line(hasColors ? `\u001b[2m${fitting}\u001b[0m` : fitting);
  }

  /** Prints the whole text to stderr. */
  line(text: string): void {
    this.#erase();
    this.#closeLine();
    this.#parts.output.write(2, `${text}\n`);
  }

  /** Shows what the run is waiting for, or nothing if undefined. */
  activity(name: string | undefined): void {
    this.#activity = name;
    if (!this.#parts.isAnimated) return;
    if (name === undefined) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      this.#erase();
    } else this.#timer ??= setInterval(() => this.#draw(), FRAME_MS);
  }

  /** Removes the temporary line from the screen. */
  close(): void {
    this.activity(undefined);
    this.#closeLine();
  }

  #draw(): void {
    const { output, columns, now, hasColors } = this.#parts;
    // Not in the middle of a line of the answer, and not if the terminal is already slow.
    if (this.#isLineOpen || output.busy || this.#activity === undefined) return;
    this.#frame = (this.#frame + 1) % FRAMES.length;
    const elapsed = elapsedText(now() - this.#startedAt);
    const text = cutToWidth(`${FRAMES[this.#frame]} ${elapsed} ${this.#activity}`, columns() - 1);
    output.write(2, `${ERASE}${hasColors ? `\u001b[2m${text}\u001b[0m` : text}`);
    this.#isDrawn = true;
  }

  #erase(): void {
    if (this.#isDrawn) this.#parts.output.write(2, ERASE);
    this.#isDrawn = false;
  }

  #closeLine(): void {
    if (this.#isLineOpen) this.#parts.output.write(1, "\n");
    this.#isLineOpen = false;
  }
}

export function elapsedText(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds}s`;
  return `${Math.floor(seconds / 60)}m ${String(seconds % 60).padStart(2, "0")}s`;
}
