import type { DialogOptions, ExtensionUi } from "../ui.ts";
import { type ContextParts, createContexts } from "./extension-context.ts";
import type { ExtensionHost } from "./extension-host.ts";
import type { ScopedContexts } from "./extension-instance.ts";

type Scope = () => readonly (AbortSignal | undefined)[];

/** `ctx` in two forms: dialogs end with the instance in any case, and with the active run in the first. */
export function createScopedContexts({ instance, host, ...parts }: ContextParts): ScopedContexts {
  const within = (signal: () => AbortSignal | undefined) =>
    createContexts({ ...parts, instance, host: withDialogsUntil(host, () => [instance.life, signal()]) });
  return { run: within(() => host.signal), session: within(() => undefined) };
}

/** The same host, whose dialogs end when one of these signals fires. They are asked for when a dialog is opened. */
function withDialogsUntil(host: ExtensionHost, scope: Scope): ExtensionHost {
  let scoped: { of: ExtensionUi; ui: ExtensionUi } | undefined;
  const get = () => {
    const { ui } = host;
    if (!ui) return undefined;
    if (scoped?.of !== ui) scoped = { of: ui, ui: endingWith(ui, scope) };
    return scoped.ui;
  };
  return Object.create(host, { ui: { get, enumerable: true } }) as ExtensionHost;
}

function endingWith(ui: ExtensionUi, scope: Scope): ExtensionUi {
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
