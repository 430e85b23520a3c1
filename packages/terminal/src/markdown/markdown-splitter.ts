/** A part of a Markdown text that can be laid out on its own. */
export type Piece =
  | { type: "markdown"; text: string; isContinued: boolean }
  | { type: "codeStart"; language: string }
  | { type: "codeLine"; text: string }
  | { type: "codeEnd" };

/** A longer block is cut at a line, because every frame lays the open block out again. */
const MAX_BLOCK_CHARACTERS = 4_096;
const FENCE = /^( {0,3})(`{3,}|~{3,})\s*([^`]*)$/;

/**
 * Finds the parts of a growing Markdown text that can no longer change: complete blocks and complete lines of code. Reads only
 * what is new.
 */
export class MarkdownSplitter {
  #line = "";
  #block: string[] = [];
  #blockLength = 0;
  #isAfterBlank = false;
  #isContinued = false;
  #fence: { indent: number; marker: string } | undefined;

  /** Returns the pieces that are final after this text. */
  append(text: string): Piece[] {
    const pieces: Piece[] = [];
    const lines = text.split("\n");
    for (const [index, part] of lines.entries()) {
      this.#line += part;
      if (index === lines.length - 1) break;
      const line = this.#line;
      this.#line = "";
      this.#take(line, pieces);
    }
    if (this.#line.length > MAX_BLOCK_CHARACTERS) this.#cutLine(pieces);
    return pieces;
  }

  /** Ends the text and returns the remaining pieces. */
  end(): Piece[] {
    const pieces: Piece[] = [];
    const line = this.#line;
    this.#line = "";
    if (line !== "") this.#take(line, pieces);
    if (this.#fence) pieces.push({ type: "codeEnd" });
    this.#fence = undefined;
    this.#flush(pieces);
    return pieces;
  }

  /** Returns the part that is not final, or undefined if it is empty. */
  get open(): Piece | undefined {
    if (this.#fence) return this.#line === "" ? undefined : { type: "codeLine", text: this.#line };
    const text = [...this.#block, this.#line].join("\n");
    return text.trim() === "" ? undefined : { type: "markdown", text, isContinued: this.#isContinued };
  }

  #take(line: string, pieces: Piece[]): void {
    if (this.#fence) this.#takeCode(line, this.#fence, pieces);
    else this.#takeText(line, pieces);
  }

  #takeText(line: string, pieces: Piece[]): void {
    const fence = FENCE.exec(line);
    if (fence) {
      this.#flush(pieces);
      this.#fence = { indent: fence[1]!.length, marker: fence[2]! };
      pieces.push({ type: "codeStart", language: /^\S*/.exec(fence[3]!)![0] });
      return;
    }
    const isBlank = line.trim() === "";
    // An indented line may belong to the list above it.
    if (this.#isAfterBlank && !isBlank && !/^[ \t]/.test(line)) this.#flush(pieces);
    this.#isAfterBlank = isBlank;
    this.#block.push(line);
    this.#blockLength += line.length;
    if (this.#blockLength > MAX_BLOCK_CHARACTERS) {
      this.#flush(pieces);
      this.#isContinued = !isBlank;
    }
  }

  #takeCode(line: string, { indent, marker }: { indent: number; marker: string }, pieces: Piece[]): void {
    const closing = line.trim();
    if (closing.length >= marker.length && closing === marker[0]!.repeat(closing.length)) {
      this.#fence = undefined;
      pieces.push({ type: "codeEnd" });
    } else {
      const spaces = /^ */.exec(line)![0].length;
      pieces.push({ type: "codeLine", text: line.slice(Math.min(indent, spaces)) });
    }
  }

  /** Cuts the line at a space if possible. */
  #cutLine(pieces: Piece[]): void {
    const at = this.#line.lastIndexOf(" ");
    const end = at > MAX_BLOCK_CHARACTERS / 2 ? at : this.#line.length;
    const head = this.#line.slice(0, end);
    this.#line = this.#line.slice(end).trimStart();
    this.#take(head, pieces);
    if (!this.#fence) this.#flush(pieces);
    this.#isContinued = !this.#fence;
  }

  #flush(pieces: Piece[]): void {
    const text = this.#block.join("\n").trimEnd();
    this.#block = [];
    this.#blockLength = 0;
    this.#isAfterBlank = false;
    if (text.trim() !== "") pieces.push({ type: "markdown", text, isContinued: this.#isContinued });
    this.#isContinued = false;
  }
}
