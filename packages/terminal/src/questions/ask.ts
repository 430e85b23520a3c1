import type { SelectItem } from "@earendil-works/pi-tui";
import type { App } from "../app.ts";
import type { ShowOptions } from "../screen/question-slot.ts";
import { Choice } from "./choice.ts";
import { LineInput, type LineInputOptions } from "./line-input.ts";

interface ChooseOptions extends ShowOptions {
  title: readonly string[];
  items: readonly SelectItem[];
  isFiltered?: boolean;
}

/** The value of the chosen item; undefined when the list was left. */
export function choose(
  app: App,
  { title, items, isFiltered = false, ...show }: ChooseOptions,
): Promise<string | undefined> {
  return app.questions.show<string>((onDone) => new Choice({ title, items, isFiltered, onDone }, app.theme), show);
}

/** What was typed; undefined when it was left. */
export function askLine(
  app: App,
  { signal, ...options }: Omit<LineInputOptions, "onDone"> & ShowOptions,
): Promise<string | undefined> {
  return app.questions.show<string>((onDone) => new LineInput({ ...options, onDone }, app.theme), {
    ...(signal && { signal }),
  });
}
