import type { Model } from "../model.ts";
import type { RequestOptions } from "./protocol.ts";

/** In lower case, so that a header the user capitalizes differently replaces ours instead of being sent twice. */
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
