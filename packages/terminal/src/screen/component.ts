/** A part of the screen: lines for a width, and what it does with keys while it has the keyboard. */
export interface Component {
  render(width: number): string[];
  /** Gets a key, or a paste with its brackets, as the terminal sent it. */
  handleInput?(data: string): void;
}

/** A component that looks different with the keyboard. */
export interface Focusable {
  focused: boolean;
}

/** Marks in a line where the cursor is. Terminals ignore the sequence, and no text contains it. */
export const CURSOR = "\u001b_cursor\u001b\\";
