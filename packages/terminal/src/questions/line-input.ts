import { type Focusable, Input, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import type { TextComponent } from "../screen/question-slot.ts";
import type { Theme } from "../screen/theme.ts";

export interface LineInputOptions {
  title: string;
  placeholder?: string;
  /** What is typed is not shown. */
  isSecret?: boolean;
  /** Undefined: left without an answer. */
  onDone(value: string | undefined): void;
}

/** A line to type. */
export class LineInput implements TextComponent, Focusable {
  readonly takesText = true;
  readonly #options: LineInputOptions;
  readonly #theme: Theme;
  readonly #input: Input;

  constructor(options: LineInputOptions, theme: Theme) {
    this.#options = options;
    this.#theme = theme;
    const { placeholder, onDone } = options;
    this.#input = new Input(placeholder === undefined ? {} : { placeholder, placeholderStyle: theme.dim });
    this.#input.onSubmit = (value) => onDone(value);
    this.#input.onEscape = () => onDone(undefined);
  }

  get focused(): boolean {
    return this.#input.focused;
  }

  set focused(isFocused: boolean) {
    this.#input.focused = isFocused;
  }

  handleInput(data: string): void {
    this.#input.handleInput(data);
  }

  render(width: number): string[] {
    const { title, isSecret } = this.#options;
    const typed = isSecret
      ? [`> ${"•".repeat(Math.min(this.#input.getValue().length, Math.max(0, width - 2)))}`]
      : this.#input.render(width);
    return [...wrapTextWithAnsi(this.#theme.bold(title), width), ...typed];
  }

  invalidate(): void {
    this.#input.invalidate();
  }
}
