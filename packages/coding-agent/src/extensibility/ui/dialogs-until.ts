import type { DialogOptions, ExtensionUi } from "./ui.ts";

/** Evaluated when a dialog opens. */
export type DialogScope = () => readonly (AbortSignal | undefined)[];

/** Returns the dialogs, which end with their default when one of these signals is aborted. */
export function dialogsUntil(
  dialogs: () => ExtensionUi | undefined,
  scope: DialogScope,
): () => ExtensionUi | undefined {
  let scoped: { of: ExtensionUi; ui: ExtensionUi } | undefined;
  return () => {
    const ui = dialogs();
    if (!ui) return undefined;
    if (scoped?.of !== ui) scoped = { of: ui, ui: endingWith(ui, scope) };
    return scoped.ui;
  };
}

function endingWith(ui: ExtensionUi, scope: DialogScope): ExtensionUi {
  const within = <D extends DialogOptions>(dialog: D | undefined): D => {
    const signals = [dialog?.signal, ...scope()].filter((signal) => signal instanceof AbortSignal);
    return { ...dialog, signal: AbortSignal.any(signals) } as D;
  };
  return {
    ...ui,
    select: (title, options, dialog) => ui.select(title, options, within(dialog)),
    confirm: (title, message, dialog) => ui.confirm(title, message, within(dialog)),
    input: (title, placeholder, dialog) => ui.input(title, placeholder, within(dialog)),
    editor: (title, prefill, dialog) => ui.editor(title, prefill, within(dialog)),
  };
}
