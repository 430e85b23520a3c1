import { truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import type { Theme } from "../screen/theme.ts";

/** The last line: parts by key, in the order of their weight. What does not fit is left out from the end. */
export class StatusLine {
  readonly #parts = new Map<string, { text: string; weight: number }>();
  readonly #theme: Theme;
  readonly #onChange: () => void;

  constructor(theme: Theme, onChange: () => void) {
    this.#theme = theme;
    this.#onChange = onChange;
  }

  /** A small weight stands first. No text: the part goes away. */
  set(key: string, text: string | undefined, weight = 50): void {
    if (text === undefined || text === "") this.#parts.delete(key);
    else this.#parts.set(key, { text, weight });
    this.#onChange();
  }

  render(width: number): string[] {
    const parts = [...this.#parts.values()].sort((a, b) => a.weight - b.weight).map(({ text }) => text);
    let line = parts[0] ?? "";
    for (const part of parts.slice(1)) {
      const longer = `${line} · ${part}`;
      if (visibleWidth(longer) > width) break;
      line = longer;
    }
    return [this.#theme.dim(truncateToWidth(line, width, "…"))];
  }
}
