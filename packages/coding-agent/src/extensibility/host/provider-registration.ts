import type { ModelRegistry } from "../../config/models/model-registry.ts";
import type { ExtensionHost, ProviderRegistration } from "../api/extension-host.ts";

export type ProviderRegistry = Pick<ModelRegistry, "registerProvider" | "unregisterProvider">;

/** The part of a host that accepts providers; it needs no session. */
export type ProviderHost = Pick<ExtensionHost, "registerProvider" | "unregisterProvider">;

export function providerHost(registry: ProviderRegistry): ProviderHost {
  return {
    registerProvider: (name, provider) => registerExtensionProvider(registry, name, provider),
    unregisterProvider: (name) => registry.unregisterProvider(name),
  };
}

/**
 * Registers a provider that an extension declares. Throws if it cannot be used. A login would need a browser, so a provider that
 * also accepts a key is used with a key.
 */
export function registerExtensionProvider(
  registry: Pick<ModelRegistry, "registerProvider">,
  id: string,
  { streamSimple, oauth, name: _shown, ...provider }: ProviderRegistration,
): void {
  if (streamSimple !== undefined && typeof streamSimple !== "function")
    throw new TypeError(`streamSimple of the provider ${id} is not a function`);
  if (oauth !== undefined && provider.apiKey === undefined)
    throw new Error(`The provider ${id} supports only a login, which pintle does not offer; add an apiKey`);
  registry.registerProvider(id, provider, streamSimple);
}
