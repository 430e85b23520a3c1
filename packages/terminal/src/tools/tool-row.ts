import type { AgentToolResult } from "@pintle/client";
import type { Highlighting } from "../code/highlighting.ts";
import type { Feed } from "../feed/feed.ts";
import type { FeedItem } from "../feed/feed-item.ts";
import type { Fold, Folds } from "../feed/folds.ts";
import { indented } from "../feed/indented.ts";
import { duration, spinner } from "../feed/spinner.ts";
import type { DrawnImage, ImageDrawer } from "../images/image-drawer.ts";
import { expandHint } from "../keys/expand-hint.ts";
import type { KeyBindings } from "../keys/key-bindings.ts";
import type { Theme } from "../screen/theme.ts";
import { shownText } from "../text/shown-text.ts";
import { truncated } from "../text/width.ts";
import { callTitle } from "./call-title.ts";
import { childRows } from "./child-rows.ts";
import { type PreviewOutcome, previewOutcome } from "./preview-outcome.ts";
import { type ResultLook, resultText, type ShortResult, shortResult, wholeResult, wholeRows } from "./result-lines.ts";

const TAIL_LINES = 5;
/** For a call that is unfolded while it runs. */
const OPEN_TAIL_LINES = 40;
const TAIL_CHARACTERS = 8_000;
const INDENT = "  ";
const NOTHING: ShortResult = { rows: () => [], isFolded: false };

interface RowParts {
  theme: Theme;
  folds: Folds;
  images: ImageDrawer;
  feed: Feed;
  highlighting: Highlighting;
  keys: Pick<KeyBindings, "keysOf">;
}

interface Head {
  sign: string;
  took: string;
  outcome?: PreviewOutcome | undefined;
  counts?: string | undefined;
  isError?: boolean;
}

/** Shows a tool call: what it does, how long it takes, and its result in short. */
export class ToolRow implements FeedItem {
  readonly #name: string;
  readonly #theme: Theme;
  readonly #folds: Folds;
  readonly #images: ImageDrawer;
  readonly #feed: Feed;
  readonly #highlighting: Highlighting;
  /** Names the key that unfolds the result. */
  readonly #expandHint: string;
  #args: unknown;
  /** Undefined while the model is still writing the call. */
  #startedAt: number | undefined;
  #tail = "";
  #fold: Fold | undefined;
  #end:
    | {
        sign: string;
        took: string;
        short: ShortResult;
        result: AgentToolResult;
        outcome: PreviewOutcome | undefined;
      }
    | undefined;
  /** The lines of its subagents, while it runs. */
  #children: string[] | undefined;
  #drawn: readonly DrawnImage[] = [];
  /** Whether images are still being prepared; the row is not final before. */
  #isDrawing = false;
  #isLoading = false;
  #isTaken = false;
  readonly #waitedMs: () => number;

  /** `waitedMs` returns how long the user took to answer questions about the call. */
  constructor(
    name: string,
    args: unknown,
    { theme, folds, images, feed, highlighting, keys }: RowParts,
    waitedMs: () => number,
  ) {
    this.#waitedMs = waitedMs;
    this.#name = name;
    this.#args = args;
    this.#theme = theme;
    this.#folds = folds;
    this.#images = images;
    this.#feed = feed;
    this.#highlighting = highlighting;
    this.#expandHint = expandHint(keys);
  }

  get fold(): Fold | undefined {
    return this.#fold;
  }

  get args(): unknown {
    return this.#args;
  }

  get isDone(): boolean {
    return this.#end !== undefined && !this.#isDrawing && !this.#isLoading;
  }

  write(args: unknown): void {
    this.#args = args;
  }

  start(args: unknown): void {
    this.#args = args;
    this.#startedAt ??= performance.now();
  }

  update(partial: AgentToolResult): void {
    this.#children = childRows(partial, this.#theme);
    if (this.#children) return;
    this.#tail = resultText(partial).slice(-TAIL_CHARACTERS);
    this.#fold ??= this.#makeFold();
  }

  /** `durationMs` is the engine's measurement, which older engines do not send. */
  end(result: AgentToolResult, durationMs?: number): void {
    const { isError, isWarning } = result;
    const worked = durationMs === undefined ? this.#worked(performance.now()) : duration(durationMs);
    const took = worked === undefined || worked === "" ? "" : ` ${worked}`;
    const outcome = isError ? undefined : previewOutcome(this.#name, result.details);
    const short = shortResult(this.#name, this.#args, result, this.#look);
    this.#end = { sign: this.#sign(isError, isWarning, outcome), took, short, result, outcome };
    this.#draw(result);
    this.#loadGrammars(result);
    if (short.isFolded) this.#fold ??= this.#makeFold();
    else this.#unmakeFold();
  }

  /** Ends a call that will get no result. */
  drop(): void {
    if (this.#end) return;
    const took = this.#startedAt === undefined ? " not run" : " no result";
    this.#end = { sign: this.#theme.dim("–"), took, short: NOTHING, result: { content: [] }, outcome: undefined };
    this.#unmakeFold();
  }

  finished(width: number): readonly string[] {
    return this.isDone && !this.#isTaken ? this.again(width) : [];
  }

  again(width: number): readonly string[] {
    if (!this.#end) return [];
    const { sign, took, short, result, outcome } = this.#end;
    const rows = this.#fold?.isOpen ? wholeRows(this.#name, this.#args, result, this.#look) : short.rows;
    return [
      "",
      this.#head({ sign, took, outcome, counts: short.counts, isError: result.isError === true }, width),
      ...rows(Math.max(1, width - INDENT.length)).map((row) => `${INDENT}${row}`),
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
    const took = ` ${this.#worked(now) || "…"}`;
    const count = this.#fold?.isOpen ? OPEN_TAIL_LINES : TAIL_LINES;
    const tail = this.#tail === "" ? [] : this.#tail.trimEnd().split("\n").slice(-count);
    const lines = tail.map((line) => this.#theme.dim(shownText(line)));
    const head = this.#head({ sign: this.#theme.accent(spinner(now)), took }, width);
    if (this.#children) {
      const room = Math.max(1, width - INDENT.length);
      return ["", head, ...this.#children.map((child) => `${INDENT}${truncated(child, room)}`)];
    }
    return ["", head, ...indented(lines, width).slice(-count)];
  }

  #worked(now: number): string | undefined {
    return this.#startedAt === undefined ? undefined : duration(Math.max(0, now - this.#startedAt - this.#waitedMs()));
  }

  #sign(isError: boolean | undefined, isWarning: boolean | undefined, outcome: PreviewOutcome | undefined): string {
    if (isError) return this.#theme.failure("✗");
    if (isWarning || outcome === "partly applied") return this.#theme.warning("!");
    if (outcome === "discarded") return this.#theme.warning("–");
    return outcome === "preview" ? this.#theme.accent("…") : this.#theme.success("✓");
  }

  /** Cuts the title if the outcome, the counts and the time need the room. */
  #head({ sign, took, outcome, counts = "", isError = false }: Head, width: number): string {
    const bold = this.#theme.bold(shownText(this.#name));
    const name = isError ? this.#theme.failure(bold) : bold;
    const word = outcome === undefined ? "" : ` ${outcome}`;
    const count = counts === "" ? "" : ` ${counts}`;
    const left = Math.max(0, width - this.#name.length - word.length - count.length - took.length - 4);
    const title = truncated(callTitle(this.#name, this.#args), left);
    const style = outcome === "applied" ? this.#theme.success : this.#theme.warning;
    return `${sign} ${name}${title === "" ? "" : ` ${title}`}${style(word)}${this.#theme.dim(`${count}${took}`)}`;
  }

  get #look(): ResultLook {
    return { theme: this.#theme, highlighting: this.#highlighting, expandHint: this.#expandHint };
  }

  #draw({ content }: AgentToolResult): void {
    const images = content.filter((block) => block.type === "image");
    if (images.length === 0 || !this.#images.canDraw) return;
    this.#isDrawing = true;
    // Images that cannot be drawn are left out. Nothing here rejects.
    void Promise.all(images.map((image) => this.#images.draw(image))).then((drawn) => {
      this.#drawn = drawn.filter((image) => image !== undefined);
      this.#isDrawing = false;
      this.#feed.changed();
    });
  }

  /** The row of a new file is final when its content can be highlighted. */
  #loadGrammars(result: AgentToolResult): void {
    const { language } = wholeResult(this.#name, this.#args, result);
    this.#isLoading =
      language !== undefined &&
      this.#highlighting.isLoading(language, () => {
        this.#isLoading = false;
        this.#feed.changed();
      });
  }

  #makeFold(): Fold {
    const title = `${this.#name} ${callTitle(this.#name, this.#args)}`;
    return this.#folds.add(title, () =>
      this.#end ? wholeResult(this.#name, this.#args, this.#end.result).text : this.#tail,
    );
  }

  #unmakeFold(): void {
    if (this.#fold) this.#folds.remove(this.#fold);
    this.#fold = undefined;
  }
}
