import { truncateToWidth } from "@earendil-works/pi-tui";
import type { Theme } from "../screen/theme.ts";
import { shownText } from "../text/shown-text.ts";
import type { FeedItem } from "./feed-item.ts";
import type { Folds } from "./folds.ts";
import { duration, spinner } from "./spinner.ts";

const TAIL_CHARACTERS = 400;

/** The model's thinking, folded: its newest line while it thinks, how long it took afterwards. */
export class ThinkingItem implements FeedItem {
  readonly #theme: Theme;
  readonly #folds: Folds;
  readonly #startedAt = performance.now();
  #text = "";
  #endedAt: number | undefined;
  #isTaken = false;

  constructor(theme: Theme, folds: Folds) {
    this.#theme = theme;
    this.#folds = folds;
  }

  get isDone(): boolean {
    return this.#endedAt !== undefined;
  }

  append(delta: string): void {
    this.#text += delta;
  }

  end(content = this.#text): void {
    if (this.isDone) return;
    this.#text = content;
    this.#endedAt = performance.now();
    if (content.trim() !== "") this.#folds.add({ title: "thinking", text: content });
  }

  finished(): readonly string[] {
    if (this.#endedAt === undefined || this.#isTaken || this.#text.trim() === "") return [];
    const took = this.#endedAt - this.#startedAt;
    const [first = ""] = shownText(this.#text.trim().slice(0, TAIL_CHARACTERS)).split("\n", 1);
    return ["", this.#theme.dim(`∴ thought for ${duration(took)}: ${first}`)];
  }

  take(): void {
    this.#isTaken = this.isDone;
  }

  live(width: number): string[] {
    if (this.isDone) return [];
    const now = performance.now();
    const tail = shownText(this.#text.slice(-TAIL_CHARACTERS)).trimEnd().split("\n").at(-1)!.trim();
    const line = `${spinner(now)} thinking ${duration(now - this.#startedAt)} ${tail}`;
    return ["", this.#theme.dim(truncateToWidth(line, width, "…"))];
  }
}
