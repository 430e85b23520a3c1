import { truncateToWidth } from "@earendil-works/pi-tui";
import type { AgentToolResult } from "@pintle/client";
import type { Feed } from "../feed/feed.ts";
import type { FeedItem } from "../feed/feed-item.ts";
import type { Fold, Folds } from "../feed/folds.ts";
import { indented } from "../feed/indented.ts";
import { duration, spinner } from "../feed/spinner.ts";
import type { DrawnImage, ImageDrawer } from "../images/image-drawer.ts";
import type { Theme } from "../screen/theme.ts";
import { shownText } from "../text/shown-text.ts";
import { callTitle } from "./call-title.ts";
import { resultText, type ShortResult, shortResult, wholeLines, wholeResult } from "./result-lines.ts";

const TAIL_LINES = 5;
/** Of a call that is shown in full while it runs. */
const OPEN_TAIL_LINES = 40;
const TAIL_CHARACTERS = 8_000;
const NOTHING: ShortResult = { lines: [], isFolded: false };

interface RowParts {
  theme: Theme;
  folds: Folds;
  images: ImageDrawer;
  feed: Feed;
}

/** A call of a tool: what it does, how long it takes, and its result in short. */
export class ToolRow implements FeedItem {
  readonly #name: string;
  readonly #theme: Theme;
  readonly #folds: Folds;
  readonly #images: ImageDrawer;
  readonly #feed: Feed;
  #args: unknown;
  /** Undefined: the model is still writing the call. */
  #startedAt: number | undefined;
  #tail = "";
  #fold: Fold | undefined;
  #end: { sign: string; took: string; short: ShortResult; result: AgentToolResult } | undefined;
  #drawn: readonly DrawnImage[] = [];
  /** The images of the result are on their way; it is not final before. */
  #isDrawing = false;
  #isTaken = false;
  readonly #waitedMs: () => number;

  /** `waitedMs`: how long the user took to answer questions about the call. */
  constructor(name: string, args: unknown, { theme, folds, images, feed }: RowParts, waitedMs: () => number) {
    this.#waitedMs = waitedMs;
    this.#name = name;
    this.#args = args;
    this.#theme = theme;
    this.#folds = folds;
    this.#images = images;
    this.#feed = feed;
  }

  get fold(): Fold | undefined {
    return this.#fold;
  }

  get args(): unknown {
    return this.#args;
  }

  get isDone(): boolean {
    return this.#end !== undefined && !this.#isDrawing;
  }

  write(args: unknown): void {
    this.#args = args;
  }

  start(args: unknown): void {
    this.#args = args;
    this.#startedAt ??= performance.now();
  }

  update(partial: AgentToolResult): void {
    this.#tail = resultText(partial).slice(-TAIL_CHARACTERS);
    this.#fold ??= this.#makeFold();
  }

  end(result: AgentToolResult): void {
    const { isError, isWarning } = result;
    const took = this.#startedAt === undefined ? "" : ` ${this.#worked(this.#startedAt, performance.now())}`;
    const sign = isError ? this.#theme.failure("✗") : isWarning ? this.#theme.warning("!") : this.#theme.success("✓");
    const short = shortResult(this.#name, result, this.#theme);
    this.#end = { sign, took, short, result };
    this.#draw(result);
    if (short.isFolded) this.#fold ??= this.#makeFold();
    else this.#unmakeFold();
  }

  /** There is no result, and none will come. */
  drop(): void {
    if (this.#end) return;
    const took = this.#startedAt === undefined ? " not run" : " no result";
    this.#end = { sign: this.#theme.dim("–"), took, short: NOTHING, result: { content: [] } };
    this.#unmakeFold();
  }

  finished(width: number): readonly string[] {
    return this.isDone && !this.#isTaken ? this.again(width) : [];
  }

  again(width: number): readonly string[] {
    if (!this.#end) return [];
    const { sign, took, short, result } = this.#end;
    const body = this.#fold?.isOpen ? wholeLines(result, this.#theme) : short.lines;
    return [
      "",
      this.#head(sign, took, width),
      ...indented(body, width),
      ...this.#drawn.filter(({ columns }) => columns <= width).flatMap(({ lines }) => lines),
    ];
  }

  take(): void {
    this.#isTaken = this.isDone;
  }

  live(width: number): string[] {
    if (this.isDone) return [];
    if (this.#end) return [...this.again(width)];
    const now = performance.now();
    const took = this.#startedAt === undefined ? " …" : ` ${this.#worked(this.#startedAt, now)}`;
    const count = this.#fold?.isOpen ? OPEN_TAIL_LINES : TAIL_LINES;
    const tail = this.#tail === "" ? [] : this.#tail.trimEnd().split("\n").slice(-count);
    const lines = tail.map((line) => this.#theme.dim(shownText(line)));
    const head = this.#head(this.#theme.accent(spinner(now)), took, width);
    return ["", head, ...indented(lines, width).slice(-count)];
  }

  #worked(startedAt: number, now: number): string {
    return duration(Math.max(0, now - startedAt - this.#waitedMs()));
  }

  /** The title gives way to the time. */
  #head(sign: string, took: string, width: number): string {
    const name = this.#theme.bold(shownText(this.#name));
    const left = Math.max(0, width - this.#name.length - took.length - 4);
    const title = truncateToWidth(callTitle(this.#name, this.#args), left, "…");
    return `${sign} ${name}${title === "" ? "" : ` ${title}`}${this.#theme.dim(took)}`;
  }

  #draw({ content }: AgentToolResult): void {
    const images = content.filter((block) => block.type === "image");
    if (images.length === 0 || !this.#images.canDraw) return;
    this.#isDrawing = true;
    // What cannot be drawn is left out; nothing rejects.
    void Promise.all(images.map((image) => this.#images.draw(image))).then((drawn) => {
      this.#drawn = drawn.filter((image) => image !== undefined);
      this.#isDrawing = false;
      this.#feed.changed();
    });
  }

  #makeFold(): Fold {
    const title = `${this.#name} ${callTitle(this.#name, this.#args)}`;
    return this.#folds.add(title, () => (this.#end ? wholeResult(this.#end.result).text : this.#tail));
  }

  #unmakeFold(): void {
    if (this.#fold) this.#folds.remove(this.#fold);
    this.#fold = undefined;
  }
}
