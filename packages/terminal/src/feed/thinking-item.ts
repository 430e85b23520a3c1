import type { Theme } from "../screen/theme.ts";
import { shownText } from "../text/shown-text.ts";
import { truncated, widthOf } from "../text/width.ts";
import type { FeedItem } from "./feed-item.ts";
import type { Fold, Folds } from "./folds.ts";
import { indented } from "./indented.ts";
import { duration, spinner } from "./spinner.ts";

const TAIL_CHARACTERS = 400;
/** Characters of open thinking that a frame lays out: more than a screen holds. */
const OPEN_CHARACTERS = 8_000;

/** The model's thinking, folded: its newest line while it grows, then its duration. */
export class ThinkingItem implements FeedItem {
  readonly #theme: Theme;
  readonly #folds: Folds;
  readonly #startedAt = performance.now();
  readonly #expandHint: string;
  readonly fold: Fold;
  #text = "";
  #took: number | undefined;
  #isTaken = false;

  /** `expandHint` names the key that unfolds the thinking. */
  constructor(theme: Theme, folds: Folds, expandHint: string) {
    this.#expandHint = expandHint;
    this.#theme = theme;
    this.#folds = folds;
    this.fold = folds.add("thinking", () => this.#text);
  }

  get isDone(): boolean {
    return this.#took !== undefined;
  }

  append(delta: string): void {
    this.#text += delta;
  }

  end(content = this.#text): void {
    if (this.isDone) return;
    this.#text = content.trim();
    this.#took = performance.now() - this.#startedAt;
    if (this.#text === "") this.#folds.remove(this.fold);
  }

  finished(width: number): readonly string[] {
    return this.isDone && !this.#isTaken ? this.again(width) : [];
  }

  again(width: number): readonly string[] {
    if (this.#text === "") return [];
    const took = duration(this.#took ?? 0);
    const head = took === "" ? "∴ thought" : `∴ thought for ${took}`;
    if (this.fold.isOpen) return ["", this.#theme.dim(head), ...this.#body(this.#text, width)];
    const [first = ""] = shownText(this.#text.slice(0, TAIL_CHARACTERS)).split("\n", 1);
    const line = `${head}: ${first}`;
    if (this.#text.trim() === first && widthOf(line) <= width) return ["", this.#theme.dim(line)];
    const room = Math.max(0, width - widthOf(this.#expandHint));
    return ["", this.#theme.dim(`${truncated(line, room)}${this.#expandHint}`)];
  }

  take(): void {
    this.#isTaken = this.isDone;
  }

  live(width: number): string[] {
    if (this.isDone) return [];
    const now = performance.now();
    const head = `${spinner(now)} thinking ${duration(now - this.#startedAt)}`.trimEnd();
    if (this.fold.isOpen) return ["", this.#theme.dim(head), ...this.#body(this.#text.slice(-OPEN_CHARACTERS), width)];
    const tail = shownText(this.#text.slice(-TAIL_CHARACTERS)).trimEnd().split("\n").at(-1)!.trim();
    return ["", this.#theme.dim(truncated(`${head} ${tail}`, width))];
  }

  #body(text: string, width: number): string[] {
    const lines = shownText(text.trim()).split("\n");
    return indented(
      lines.map((line) => this.#theme.dim(line)),
      width,
    );
  }
}
