import { dialogsUntil } from "../dialogs-until.ts";
import { type ContextParts, createContexts } from "./extension-context.ts";
import type { ExtensionHost } from "./extension-host.ts";
import type { ScopedContexts } from "./extension-instance.ts";

/** `ctx` in two forms: dialogs end with the instance in any case, and with the active run in the first. */
export function createScopedContexts({ instance, host, ...parts }: ContextParts): ScopedContexts {
  const within = (signal: () => AbortSignal | undefined) => {
    const get = dialogsUntil(
      () => host.ui,
      () => [instance.life, signal()],
    );
    const scoped = Object.create(host, { ui: { get, enumerable: true } }) as ExtensionHost;
    return createContexts({ ...parts, instance, host: scoped });
  };
  return { run: within(() => host.signal), session: within(() => undefined) };
}
