import { truncateToWidth } from "@earendil-works/pi-tui";
import type { AgentToolResult, ImageContent } from "@pintle/client";
import type { FeedItem } from "../feed/feed-item.ts";
import type { Folds } from "../feed/folds.ts";
import { duration, spinner } from "../feed/spinner.ts";
import type { Theme } from "../screen/theme.ts";
import { shownText } from "../text/shown-text.ts";
import { callTitle } from "./call-title.ts";
import { imageLines } from "./image-lines.ts";
import { indented, resultText, type ShortResult, shortResult } from "./result-lines.ts";

const TAIL_LINES = 5;
const TAIL_CHARACTERS = 4_000;

/** A call of a tool: what it does, how long it takes, and its result in short. */
export class ToolRow implements FeedItem {
  readonly #name: string;
  readonly #theme: Theme;
  readonly #folds: Folds;
  #args: unknown;
  /** Undefined: the model is still writing the call. */
  #startedAt: number | undefined;
  #tail = "";
  #end: { sign: string; took: string; body: ShortResult } | undefined;
  #images: readonly ImageContent[] = [];
  #isTaken = false;

  constructor(name: string, args: unknown, theme: Theme, folds: Folds) {
    this.#name = name;
    this.#args = args;
    this.#theme = theme;
    this.#folds = folds;
  }

  get isDone(): boolean {
    return this.#end !== undefined;
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
  }

  end(result: AgentToolResult): void {
    const { isError, isWarning } = result;
    const took = this.#startedAt === undefined ? "" : ` ${duration(performance.now() - this.#startedAt)}`;
    const sign = isError ? this.#theme.failure("✗") : isWarning ? this.#theme.warning("!") : this.#theme.success("✓");
    const body = shortResult(this.#name, result, this.#theme);
    if (body.isFolded)
      this.#folds.add({ title: `${this.#name} ${callTitle(this.#name, this.#args)}`, text: whole(result) });
    this.#images = result.content.filter((block) => block.type === "image");
    this.#end = { sign, took, body };
  }

  /** There is no result, and none will come. */
  drop(): void {
    if (this.#end) return;
    this.#end = { sign: this.#theme.dim("–"), took: " not run", body: { lines: [], isFolded: false } };
  }

  finished(width: number): readonly string[] {
    if (!this.#end || this.#isTaken) return [];
    const { sign, took, body } = this.#end;
    return [
      "",
      this.#head(sign, took, width),
      ...indented(body.lines, width),
      ...this.#images.flatMap((image) => imageLines(image, width)),
    ];
  }

  take(): void {
    this.#isTaken = this.isDone;
  }

  live(width: number): string[] {
    if (this.#end) return [];
    const now = performance.now();
    const took = this.#startedAt === undefined ? " …" : ` ${duration(now - this.#startedAt)}`;
    const tail = this.#tail === "" ? [] : this.#tail.trimEnd().split("\n").slice(-TAIL_LINES);
    const lines = tail.map((line) => this.#theme.dim(shownText(line)));
    return [
      "",
      this.#head(this.#theme.accent(spinner(now)), took, width),
      ...indented(lines, width).slice(-TAIL_LINES),
    ];
  }

  /** The title gives way to the time. */
  #head(sign: string, took: string, width: number): string {
    const name = this.#theme.bold(shownText(this.#name));
    const left = Math.max(0, width - this.#name.length - took.length - 4);
    const title = truncateToWidth(callTitle(this.#name, this.#args), left, "…");
    return `${sign} ${name}${title === "" ? "" : ` ${title}`}${this.#theme.dim(took)}`;
  }
}

function whole(result: AgentToolResult): string {
  const { details } = result;
  const hasDiff = typeof details === "object" && details !== null && "diff" in details;
  return hasDiff && typeof details.diff === "string" ? details.diff : resultText(result);
}
