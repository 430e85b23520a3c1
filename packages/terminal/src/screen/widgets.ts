import type { Component } from "./component.ts";

type Place = "above" | "below";

/** Lines, or a function that returns them for every frame. */
export type WidgetLines = readonly string[] | ((width: number) => readonly string[]);

/** Lines around the editor, by the key of their owner, in order of arrival. */
export class Widgets {
  readonly #lines: Record<Place, Map<string, WidgetLines>> = { above: new Map(), below: new Map() };
  readonly #onChange: () => void;
  readonly above: Component = { render: (width) => this.#render("above", width) };
  readonly below: Component = { render: (width) => this.#render("below", width) };

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  set(key: string, lines: WidgetLines | undefined, place: Place = "above"): void {
    const other = place === "above" ? "below" : "above";
    this.#lines[other].delete(key);
    if (lines && lines.length > 0) this.#lines[place].set(key, lines);
    else this.#lines[place].delete(key);
    this.#onChange();
  }

  #render(place: Place, width: number): string[] {
    return [...this.#lines[place].values()].flatMap((lines) => (typeof lines === "function" ? lines(width) : lines));
  }
}
