import type { Style, Theme } from "../screen/theme.ts";
import { truncated, widthOf } from "../text/width.ts";

export interface PartOptions {
  /** Parts with a small weight come first. */
  weight?: number;
  /** The part is shown at any width, as long as it fits by itself. */
  isPinned?: boolean;
  style?: Style;
}

interface Part {
  text: string;
  weight: number;
  isPinned: boolean;
  style: Style;
}

const SEPARATOR = " · ";

/** The last line: parts by key, ordered by weight. Parts that do not fit are left out, pinned parts last. */
export class StatusLine {
  readonly #parts = new Map<string, Part>();
  readonly #theme: Theme;
  readonly #onChange: () => void;

  constructor(theme: Theme, onChange: () => void) {
    this.#theme = theme;
    this.#onChange = onChange;
  }

  /** Removes the part if there is no text. */
  set(key: string, text: string | undefined, options: PartOptions = {}): void {
    const { weight = 50, isPinned = false, style = this.#theme.dim } = options;
    if (text === undefined || text === "") this.#parts.delete(key);
    else this.#parts.set(key, { text, weight, isPinned, style });
    this.#onChange();
  }

  render(width: number): string[] {
    const parts = [...this.#parts.values()].sort((a, b) => a.weight - b.weight);
    const shown = new Set<Part>();
    const fits = (part: Part) => {
      const texts = parts.filter((other) => other === part || shown.has(other)).map(({ text }) => text);
      return widthOf(texts.join(SEPARATOR)) <= width;
    };
    // The first part is the most important one: if it is too long by itself, it is truncated.
    for (const part of [...parts.filter(({ isPinned }) => isPinned), ...parts]) {
      if (shown.size === 0 || fits(part)) shown.add(part);
    }
    const line = parts.filter((part) => shown.has(part)).map(({ text, style }) => style(text));
    return [truncated(line.join(this.#theme.dim(SEPARATOR)), width)];
  }
}
