import type { Highlight, Token } from "@pintle/highlight";
import { codeRows } from "../code/code-rows.ts";
import type { Theme } from "../screen/theme.ts";
import { shownText } from "../text/shown-text.ts";
import { blockLines } from "./block-lines.ts";
import type { Piece } from "./markdown-splitter.ts";

const CODE_INDENT = "  ";

/** A piece with the tokens of its code, if the language is known. */
export type ShownPiece = Piece & { tokens?: readonly Token[] };

export interface PieceOptions {
  /** Nothing precedes the piece, so no empty line sets it apart. */
  isFirst: boolean;
  /** Highlights code blocks inside lists and quotes; absent for pieces that are laid out again with each frame. */
  highlight?: Highlight | undefined;
}

/** Lays pieces of Markdown out as lines. */
export class MarkdownLines {
  readonly #theme: Theme;

  constructor(theme: Theme) {
    this.#theme = theme;
  }

  render(piece: ShownPiece, width: number, { isFirst, highlight }: PieceOptions): string[] {
    switch (piece.type) {
      case "markdown": {
        const lines = blockLines(piece.text, width, this.#theme, highlight);
        return isFirst || piece.isContinued ? lines : ["", ...lines];
      }
      case "codeStart": {
        const label = piece.language === "" ? [] : [CODE_INDENT + this.#theme.dim(shownText(piece.language))];
        return isFirst ? label : ["", ...label];
      }
      case "codeLine": {
        const tokens = piece.tokens ?? [[undefined, shownText(piece.text)] as const];
        const isPlain = piece.tokens === undefined;
        const rows = codeRows(tokens, Math.max(1, width - CODE_INDENT.length), this.#theme);
        return rows.map((row) => CODE_INDENT + (isPlain ? this.#theme.code(row) : row));
      }
      case "codeEnd":
        return [];
    }
  }
}
