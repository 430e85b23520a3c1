import type { FenceHighlighter } from "../code/fence-highlighter.ts";
import type { Highlighting } from "../code/highlighting.ts";
import type { MarkdownLines, ShownPiece } from "../markdown/markdown-lines.ts";
import { MarkdownSplitter, type Piece } from "../markdown/markdown-splitter.ts";
import { shownText } from "../text/shown-text.ts";
import type { FeedItem } from "./feed-item.ts";

interface TextParts {
  markdown: MarkdownLines;
  highlighting: Highlighting;
  /** Called when lines became final without new text. */
  onChange(): void;
}

/** The model's text while it is streamed. Final blocks move to the terminal's scrollback one by one. */
export class TextItem implements FeedItem {
  readonly #parts: TextParts;
  #splitter = new MarkdownSplitter();
  readonly #store = new LineStore();
  #text = "";
  #hasPieces = false;
  #hasEnded = false;
  /** The open code block, if its language is highlighted. */
  #fence: FenceHighlighter | undefined;
  /** Pieces that wait until the grammars are loaded. */
  #waiting: Piece[] = [];
  #isWaiting = false;

  constructor(parts: TextParts) {
    this.#parts = parts;
    this.#store.add(() => [""]);
  }

  get isDone(): boolean {
    return this.#hasEnded && !this.#isWaiting;
  }

  append(delta: string): void {
    this.#text += delta;
    for (const piece of this.#splitter.append(delta)) this.#take(piece);
  }

  /** `content` is the whole text: if the session was joined in the middle of it, not all of it has been shown. */
  end(content = this.#text): void {
    if (this.#hasEnded) return;
    if (content.startsWith(this.#text)) this.append(content.slice(this.#text.length));
    else {
      for (const piece of this.#splitter.end()) this.#take(piece);
      this.#splitter = new MarkdownSplitter();
      this.append(content);
    }
    for (const piece of this.#splitter.end()) this.#take(piece);
    this.#hasEnded = true;
  }

  finished(width: number): readonly string[] {
    return this.#store.lines(width);
  }

  take(): void {
    this.#store.take();
  }

  live(width: number): string[] {
    const { open } = this.#splitter;
    const pieces = open ? [...this.#waiting, open] : this.#waiting;
    return pieces.flatMap((piece, index) =>
      this.#parts.markdown.render(piece, width, { isFirst: !this.#hasPieces && index === 0 }),
    );
  }

  #take(piece: Piece): void {
    if (!this.#isWaiting && piece.type === "codeStart") {
      this.#isWaiting = this.#parts.highlighting.isLoading(piece.language, () => this.#loaded());
    }
    if (this.#isWaiting) this.#waiting.push(piece);
    else this.#add(piece);
  }

  #loaded(): void {
    this.#isWaiting = false;
    for (const piece of this.#waiting.splice(0)) this.#add(piece);
    this.#parts.onChange();
  }

  #add(piece: Piece): void {
    const { markdown, highlighting } = this.#parts;
    const isFirst = !this.#hasPieces;
    this.#hasPieces = true;
    const shown = this.#highlighted(piece);
    this.#store.add((width) => markdown.render(shown, width, { isFirst, highlight: highlighting.highlight }));
  }

  #highlighted(piece: Piece): ShownPiece {
    const { highlighting } = this.#parts;
    if (piece.type === "codeStart") this.#fence = highlighting.fence(piece.language);
    else if (piece.type === "codeEnd") this.#fence = undefined;
    if (piece.type !== "codeLine" || !this.#fence) return piece;
    return { ...piece, tokens: this.#fence.next(shownText(piece.text)) };
  }
}

/** Final lines that have not been taken yet. They are laid out on demand, once per width. */
class LineStore {
  readonly #renders: ((width: number) => readonly string[])[] = [];
  #lines: string[] = [];
  #width = 0;
  #done = 0;

  add(render: (width: number) => readonly string[]): void {
    this.#renders.push(render);
  }

  lines(width: number): readonly string[] {
    if (this.#width !== width) {
      this.#lines = [];
      this.#done = 0;
      this.#width = width;
    }
    for (; this.#done < this.#renders.length; this.#done += 1) this.#lines.push(...this.#renders[this.#done]!(width));
    return this.#lines;
  }

  /** Removes the lines that `lines` last returned. */
  take(): void {
    this.#renders.splice(0, this.#done);
    this.#done = 0;
    this.#lines = [];
  }
}
