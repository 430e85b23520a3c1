import { Editor, type TUI } from "@earendil-works/pi-tui";
import type { Theme } from "../screen/theme.ts";

/** Short, so that a window that becomes narrower does not have to break it. */
const BORDER_WIDTH = 40;

/** The editor for messages: several lines, undo, history, and pastes as blocks. */
export class PromptEditor extends Editor {
  constructor(tui: TUI, theme: Theme) {
    super(tui, { borderColor: theme.dim, selectList: listTheme(theme) });
  }

  protected override renderTopBorder(width: number, hiddenLineCount: number): string {
    return super.renderTopBorder(Math.min(width, BORDER_WIDTH), hiddenLineCount);
  }

  protected override renderBottomBorder(width: number, hiddenLineCount: number): string {
    return super.renderBottomBorder(Math.min(width, BORDER_WIDTH), hiddenLineCount);
  }

  override setText(text: string): void {
    super.setText(text);
    this.tui.requestRender();
  }

  get isEmpty(): boolean {
    return this.getText() === "";
  }

  /** What was written, pastes included; the editor is empty afterwards. */
  takeText(): string {
    const text = this.getExpandedText();
    this.setText("");
    return text;
  }
}

/** For every list to choose from. */
export function listTheme(theme: Theme) {
  return {
    selectedPrefix: theme.accent,
    selectedText: theme.accent,
    description: theme.dim,
    scrollInfo: theme.dim,
    noMatch: theme.dim,
  };
}
