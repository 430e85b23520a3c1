import { truncated, widthOf } from "../text/width.ts";
import { type Component, CURSOR } from "./component.ts";
import { type Frame, FrameWriter, type Reflow } from "./frame-writer.ts";
import { isDrawing } from "./is-drawing.ts";
import type { TerminalDevice } from "./terminal-device.ts";

/** Ends every style and link, so that a line never colors what follows it. */
const RESET = "\u001b[0m\u001b]8;;\u0007";
/** Frames are at least this far apart. */
const FRAME_MS = 16;

export interface Content {
  /** Returns the lines that are final since the last call. */
  takeFinished(width: number): string[];
  /** Returns the lines that may still change, at most this many. */
  live(width: number, height: number): string[];
  /** Receives each key first. Returns true if the component with the keyboard focus should handle it. */
  take(data: string): boolean;
}

export interface ScreenOptions {
  reflow: Reflow;
  /** The window is redrawn when its size has been stable for this long. */
  settleMs: number;
  /** Returns whether the terminal has accepted the previous output. A slow one gets fewer frames, not later ones. */
  isReady(): boolean;
}

type Device = Pick<TerminalDevice, "columns" | "rows" | "write" | "start" | "stop">;

/**
 * Draws in the terminal's normal screen, below the existing content, and passes keys to the component with the keyboard
 * focus.
 */
export class InlineScreen {
  readonly #device: Device;
  readonly #content: Content;
  readonly #writer: FrameWriter;
  readonly #isReady: () => boolean;
  readonly #settling: SettlingSize;
  #focused: Component | undefined;
  #isStarted = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #drawnAt = Number.NEGATIVE_INFINITY;

  constructor(device: Device, content: Content, { reflow, settleMs, isReady }: ScreenOptions) {
    this.#device = device;
    this.#writer = new FrameWriter(reflow);
    this.#content = content;
    this.#isReady = isReady;
    this.#settling = new SettlingSize(settleMs, () => this.requestRender());
  }

  get rows(): number {
    return this.#device.rows;
  }

  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#device.start(
      (data) => {
        if (this.#content.take(data)) this.#focused?.handleInput?.(data);
        this.requestRender();
      },
      () => this.requestRender(),
    );
  }

  /** Removes the live lines and keeps the final ones: at the end, before suspending, and for another program on the screen. */
  leave(): void {
    if (!this.#isStarted) return;
    this.#isStarted = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#device.write(this.#writer.erase(this.#device.columns, this.#device.rows));
    this.#device.stop();
  }

  /** Gives the keyboard focus to a component. */
  setFocus(component: Component): void {
    if (this.#focused && "focused" in this.#focused) this.#focused.focused = false;
    this.#focused = component;
    if ("focused" in component) component.focused = true;
  }

  /** Makes the next frame write this many of the newest final lines again. Returns false if they are not all on the screen. */
  reclaim(rows: number): boolean {
    const { columns, rows: height } = this.#device;
    return this.#isStarted && this.#writer.isFor(columns, height) && this.#writer.reclaim(rows);
  }

  /** Draws soon; requests that come together are one frame. */
  requestRender(): void {
    if (!this.#isStarted || this.#timer) return;
    const wait = Math.max(0, this.#drawnAt + FRAME_MS - performance.now());
    this.#timer = setTimeout(() => this.renderNow(), wait);
  }

  /** Draws a screen of unknown content from where the cursor is. */
  redrawAll(): void {
    this.#writer.forget();
    this.requestRender();
  }

  renderNow(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#isStarted || !this.#isReady()) return;
    const { columns: width, rows: height } = this.#device;
    if (!this.#settling.isSettled(width, height)) return;
    this.#drawnAt = performance.now();
    const finished = this.#content.takeFinished(width).map((line) => fit(line, width));
    const live = this.#content.live(width, height).slice(-height);
    const cursor = takeCursor(live);
    const frame: Frame = { finished, live: live.map((line) => fit(line, width)), ...(cursor && { cursor }) };
    const bytes = this.#writer.write(frame, width, height);
    if (bytes !== "") this.#device.write(bytes);
  }
}

/**
 * Cuts a line that is too wide, because the terminal would wrap it and the row count would be wrong. Removes trailing spaces,
 * which would wrap when the window becomes narrower.
 */
function fit(padded: string, width: number): string {
  if (isDrawing(padded)) return padded;
  const line = padded.trimEnd();
  return `${widthOf(line) <= width ? line : truncated(line, width, "")}${line.includes("\u001b") ? RESET : ""}`;
}

function takeCursor(lines: string[]): { row: number; col: number } | undefined {
  for (let row = lines.length - 1; row >= 0; row -= 1) {
    const line = lines[row]!;
    const at = line.indexOf(CURSOR);
    if (at === -1) continue;
    lines[row] = line.slice(0, at) + line.slice(at + CURSOR.length);
    return { row, col: widthOf(line.slice(0, at)) };
  }
  return undefined;
}

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
