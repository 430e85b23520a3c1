import type { Component } from "@earendil-works/pi-tui";

type Place = "above" | "below";

/** Lines around the editor, by the key of whoever sets them, in the order in which they came. */
export class Widgets {
  readonly #lines: Record<Place, Map<string, readonly string[]>> = { above: new Map(), below: new Map() };
  readonly #onChange: () => void;
  readonly above: Component = { render: () => this.#render("above"), invalidate: () => {} };
  readonly below: Component = { render: () => this.#render("below"), invalidate: () => {} };

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  set(key: string, lines: readonly string[] | undefined, place: Place = "above"): void {
    const other = place === "above" ? "below" : "above";
    this.#lines[other].delete(key);
    if (lines && lines.length > 0) this.#lines[place].set(key, lines);
    else this.#lines[place].delete(key);
    this.#onChange();
  }

  #render(place: Place): string[] {
    return [...this.#lines[place].values()].flat();
  }
}
