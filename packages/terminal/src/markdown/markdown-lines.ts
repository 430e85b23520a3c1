import type { Theme } from "../screen/theme.ts";
import { shownText } from "../text/shown-text.ts";
import { wrapped } from "../text/wrap.ts";
import { blockLines } from "./block-lines.ts";
import type { Piece } from "./markdown-splitter.ts";

const CODE_INDENT = "  ";

/** Lays pieces of Markdown out as lines. */
export class MarkdownLines {
  readonly #theme: Theme;

  constructor(theme: Theme) {
    this.#theme = theme;
  }

  /** `isFirst`: nothing is above it, so no empty line sets it apart. */
  render(piece: Piece, width: number, { isFirst }: { isFirst: boolean }): string[] {
    switch (piece.type) {
      case "markdown": {
        const lines = blockLines(piece.text, width, this.#theme);
        return isFirst || piece.isContinued ? lines : ["", ...lines];
      }
      case "codeStart": {
        const label = piece.language === "" ? [] : [CODE_INDENT + this.#theme.dim(shownText(piece.language))];
        return isFirst ? label : ["", ...label];
      }
      case "codeLine":
        return wrapped(CODE_INDENT + this.#theme.code(shownText(piece.text)), width);
      case "codeEnd":
        return [];
    }
  }
}
