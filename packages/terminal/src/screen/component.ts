/** A part of the screen that renders lines for a width and may handle keys. */
export interface Component {
  render(width: number): string[];
  /** Receives a key or a bracketed paste as the terminal sent it. */
  handleInput?(data: string): void;
}

/** A component that looks different with the keyboard focus. */
export interface Focusable {
  focused: boolean;
}

/** Marks in a line where the cursor is. Terminals ignore the sequence, and no text contains it. */
export const CURSOR = "\u001b_cursor\u001b\\";
