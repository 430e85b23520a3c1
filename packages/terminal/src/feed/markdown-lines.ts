import { Markdown, type MarkdownTheme, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import type { Theme } from "../screen/theme.ts";
import { shownText } from "../text/shown-text.ts";
import type { Piece } from "./markdown-splitter.ts";

const OPTIONS = { preserveOrderedListMarkers: true, renderLatex: false };
const CODE_INDENT = "  ";

/** Lays pieces of Markdown out as lines. */
export class MarkdownLines {
  readonly #theme: Theme;
  readonly #markdown: MarkdownTheme;

  constructor(theme: Theme) {
    this.#theme = theme;
    this.#markdown = markdownTheme(theme);
  }

  /** `isFirst`: nothing stands above it, so no empty line sets it apart. */
  render(piece: Piece, width: number, { isFirst }: { isFirst: boolean }): string[] {
    switch (piece.type) {
      case "markdown": {
        const lines = new Markdown(shownText(piece.text), 0, 0, this.#markdown, undefined, OPTIONS).render(width);
        const text = lines.map((line) => line.trimEnd());
        return isFirst || piece.isContinued ? text : ["", ...text];
      }
      case "codeStart": {
        const line = this.#theme.dim(`\`\`\`${shownText(piece.language)}`);
        return isFirst ? [line] : ["", line];
      }
      case "codeLine":
        return wrapTextWithAnsi(this.#theme.code(CODE_INDENT + shownText(piece.text)), width);
      case "codeEnd":
        return [this.#theme.dim("```")];
    }
  }
}

function markdownTheme(theme: Theme): MarkdownTheme {
  return {
    heading: theme.heading,
    link: theme.accent,
    linkUrl: theme.dim,
    code: theme.code,
    codeBlock: theme.code,
    codeBlockBorder: theme.dim,
    quote: theme.italic,
    quoteBorder: theme.dim,
    hr: theme.dim,
    listBullet: theme.accent,
    bold: theme.bold,
    italic: theme.italic,
    strikethrough: theme.strikethrough,
    underline: theme.underline,
  };
}
