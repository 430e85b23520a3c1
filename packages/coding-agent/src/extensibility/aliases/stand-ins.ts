import type { Exports, Offer } from "./offer.ts";
import published from "./published-names.json" with { type: "json" };
import { standIn } from "./unavailable.ts";

// Loaded only when an extension imports one of the modules.

export type PublishedModule = keyof typeof published.modules;

/** Returns the exports of a module: what pintle provides, and a function that throws for every other published name. */
export function completeModule(module: PublishedModule, { works, inert }: Offer): Exports {
  const names = publishedNames(module);
  return { ...Object.fromEntries(names.map((name) => [name, standIn(name)])), ...inert, ...works };
}

/** Returns every name that a published version of the module exports. */
export function publishedNames(module: PublishedModule): string[] {
  return Object.values(published.modules[module]).flat();
}
