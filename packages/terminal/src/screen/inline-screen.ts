import type { Component, Terminal } from "@earendil-works/pi-tui";
import { truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import { CURSOR_MARKER, TuiBase } from "@earendil-works/pi-tui/dist/tui.js";
import { type Frame, FrameWriter, type Reflow } from "./frame-writer.ts";
import { isDrawing } from "./is-drawing.ts";
import { SettlingSize } from "./settling-size.ts";

/** Ends every style and link, so that a line never colours what stands behind it. */
const RESET = "\u001b[0m\u001b]8;;\u0007";

export interface Content {
  /** Lines that are final since the last call. */
  takeFinished(width: number): string[];
  /** Lines that may still change, at most so many of them. */
  live(width: number, height: number): string[];
}

export interface ScreenOptions {
  reflow: Reflow;
  /** A window is drawn again when its size has been the same for so long. */
  settleMs: number;
  /** The terminal has taken what was written before. A slow one gets fewer frames, not later ones. */
  isReady(): boolean;
}

/** Draws in the normal screen of the terminal, below what was there: keys, focus and timing are the library's, the frames ours. */
export class InlineScreen extends TuiBase {
  readonly mode = "regular";
  readonly #content: Content;
  readonly #writer: FrameWriter;
  readonly #isReady: () => boolean;
  readonly #settling: SettlingSize;

  constructor(terminal: Terminal, content: Content, { reflow, settleMs, isReady }: ScreenOptions) {
    super(terminal);
    this.#writer = new FrameWriter(reflow);
    this.#content = content;
    this.#isReady = isReady;
    this.#settling = new SettlingSize(settleMs, () => this.requestRender());
  }

  /** The live lines go, what is final stays. For the end, for a suspended program and for other programs on the screen. */
  leave(): void {
    this.terminal.write(this.#writer.erase(this.terminal.columns, this.terminal.rows));
    this.stop();
  }

  /** So many of the newest final lines are to be written again. False: they are not all on the screen. */
  reclaim(rows: number): boolean {
    const { columns, rows: height } = this.terminal;
    return !this.stopped && this.#writer.isFor(columns, height) && this.#writer.reclaim(rows);
  }

  protected override resetRenderState(): void {
    this.#writer.forget();
  }

  protected override getMountedRoots(): readonly Component[] {
    return this.children;
  }

  protected doRender(): void {
    if (this.stopped || !this.#isReady()) return;
    const { columns: width, rows: height } = this.terminal;
    if (!this.#settling.isSettled(width, height)) return;
    const finished = this.#content.takeFinished(width).map((line) => fit(line, width));
    const live = this.#content.live(width, height).slice(-height);
    const cursor = takeCursor(live);
    const frame: Frame = { finished, live: live.map((line) => fit(line, width)), ...(cursor && { cursor }) };
    const bytes = this.#writer.write(frame, width, height);
    if (bytes !== "") this.terminal.write(bytes);
  }
}

/**
 * A line that is too wide would be broken by the terminal, and the rows would be miscounted. Spaces at its end would be broken
 * with it when the window becomes narrower.
 */
function fit(padded: string, width: number): string {
  if (isDrawing(padded)) return padded;
  const line = padded.trimEnd();
  return `${visibleWidth(line) <= width ? line : truncateToWidth(line, width, "")}${line.includes("\u001b") ? RESET : ""}`;
}

function takeCursor(lines: string[]): { row: number; col: number } | undefined {
  for (let row = lines.length - 1; row >= 0; row -= 1) {
    const line = lines[row]!;
    const at = line.indexOf(CURSOR_MARKER);
    if (at === -1) continue;
    lines[row] = line.slice(0, at) + line.slice(at + CURSOR_MARKER.length);
    return { row, col: visibleWidth(line.slice(0, at)) };
  }
  return undefined;
}
