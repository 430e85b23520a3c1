import type { Model } from "@pintle/ai";

/** A model as hosts and logs may see it: no headers, no free-form request body, no credentials in the address. */
export function toWireModel(model: Model): Model {
  const known = shown.get(model);
  if (known) return known;
  const wireModel = strip(model);
  shown.set(model, wireModel);
  return wireModel;
}

/** Cached, because every `get_state` needs it; models are never changed, only replaced. */
const shown = new WeakMap<Model, Model>();

function strip(model: Model): Model {
  const { headers: _headers, compat, ...visible } = model;
  const { extraBody: _extraBody, ...flags } = compat ?? {};
  return {
    ...visible,
    baseUrl: withoutCredentials(model.baseUrl),
    ...(Object.keys(flags).length > 0 && { compat: flags }),
  };
}

function withoutCredentials(baseUrl: string): string {
  if (!URL.canParse(baseUrl)) return baseUrl;
  const url = new URL(baseUrl);
  if (!url.username && !url.password && !url.search && !url.hash) return baseUrl;
  return `${url.origin}${url.pathname}`;
}
