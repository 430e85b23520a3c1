import type { MarkdownLines } from "../markdown/markdown-lines.ts";
import { MarkdownSplitter, type Piece } from "../markdown/markdown-splitter.ts";
import type { FeedItem } from "./feed-item.ts";
import { LineStore } from "./line-store.ts";

/** The model's text while it is written. Final blocks move to the terminal's scrollback one by one. */
export class TextItem implements FeedItem {
  readonly #markdown: MarkdownLines;
  #splitter = new MarkdownSplitter();
  readonly #store = new LineStore();
  #text = "";
  #hasPieces = false;
  #isDone = false;

  constructor(markdown: MarkdownLines) {
    this.#markdown = markdown;
    this.#store.add(() => [""]);
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  append(delta: string): void {
    this.#text += delta;
    for (const piece of this.#splitter.append(delta)) this.#add(piece);
  }

  /** `content` is the whole text: of a message that was joined while it was written, it was not all shown. */
  end(content = this.#text): void {
    if (this.#isDone) return;
    if (content.startsWith(this.#text)) this.append(content.slice(this.#text.length));
    else {
      for (const piece of this.#splitter.end()) this.#add(piece);
      this.#splitter = new MarkdownSplitter();
      this.append(content);
    }
    for (const piece of this.#splitter.end()) this.#add(piece);
    this.#isDone = true;
  }

  finished(width: number): readonly string[] {
    return this.#store.lines(width);
  }

  take(): void {
    this.#store.take();
  }

  live(width: number): string[] {
    const { open } = this.#splitter;
    return open ? this.#markdown.render(open, width, { isFirst: !this.#hasPieces }) : [];
  }

  #add(piece: Piece): void {
    const isFirst = !this.#hasPieces;
    this.#hasPieces = true;
    this.#store.add((width) => this.#markdown.render(piece, width, { isFirst }));
  }
}
