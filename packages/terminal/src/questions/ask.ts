import type { App } from "../app.ts";
import type { ShowOptions } from "../screen/question-slot.ts";
import { Choice, type ChoiceOptions } from "./choice.ts";
import { LineInput, type LineInputOptions } from "./line-input.ts";

interface ChooseOptions extends ShowOptions, Omit<ChoiceOptions, "onDone" | "isFiltered"> {}

/**
 * Asks a question. The first item is preselected and must be the safe answer. Resolves with the value of the chosen item, or
 * with undefined if the user left the list.
 */
export function choose(app: App, { title, items, staysOpen, ...show }: ChooseOptions): Promise<string | undefined> {
  const make = (onDone: ChoiceOptions["onDone"]) =>
    new Choice({ title, items, onDone, ...(staysOpen && { staysOpen }) }, app.theme, app.keys.editor);
  return app.questions.show<string>(make, show);
}

/** Shows a list that the user has opened; typing filters it. Resolves with undefined if the user left it. */
export function pick(app: App, { title, items }: Pick<ChooseOptions, "title" | "items">): Promise<string | undefined> {
  const make = (onDone: ChoiceOptions["onDone"]) =>
    new Choice({ title, items, isFiltered: true, onDone }, app.theme, app.keys.editor);
  return app.questions.show<string>(make, { isOpenedByUser: true });
}

/** Resolves with the typed text, or with undefined if the user left the input. */
export function askLine(
  app: App,
  { signal, isOpenedByUser = false, ...options }: Omit<LineInputOptions, "onDone"> & ShowOptions,
): Promise<string | undefined> {
  return app.questions.show<string>((onDone) => new LineInput({ ...options, onDone }, app.theme, app.keys.editor), {
    ...(signal && { signal }),
    isOpenedByUser,
  });
}
