import type { Component } from "./component.ts";

type Place = "above" | "below";

/** Lines around the editor, by the key of their owner, in order of arrival. */
export class Widgets {
  readonly #lines: Record<Place, Map<string, readonly string[]>> = { above: new Map(), below: new Map() };
  readonly #onChange: () => void;
  readonly above: Component = { render: () => this.#render("above") };
  readonly below: Component = { render: () => this.#render("below") };

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
