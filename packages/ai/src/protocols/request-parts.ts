import type { Model } from "../model.ts";
import type { RequestOptions, ToolDefinition } from "./protocol.ts";

/** Sorted, so that the order in which extensions register their tools does not spoil the provider's cache. */
export function sortTools(tools: readonly ToolDefinition[]): ToolDefinition[] {
  return [...tools].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** In lower case, so that the name a user writes differently replaces ours instead of joining it. */
export function withUserHeaders(
  own: Record<string, string>,
  model: Model,
  options: RequestOptions,
): Record<string, string> {
  const headers = { ...own };
  for (const [name, value] of Object.entries({ ...model.headers, ...options.headers })) {
    headers[name.toLowerCase()] = value;
  }
  return headers;
}

export function bearerHeaders(model: Model, options: RequestOptions): Record<string, string> {
  return withUserHeaders(options.apiKey ? { authorization: `Bearer ${options.apiKey}` } : {}, model, options);
}
