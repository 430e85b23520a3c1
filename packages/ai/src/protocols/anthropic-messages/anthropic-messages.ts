import type { Model } from "../../model.ts";
import type { HttpProtocol, RequestOptions } from "../protocol.ts";
import { AnthropicDecoder } from "./decoder.ts";
import { toAnthropicPrefix } from "./prefix.ts";
import { toAnthropicBody } from "./request.ts";

export const anthropicMessages: HttpProtocol = {
  request: (model, context, options) => {
    const body = toAnthropicBody(model, context, options);
    return {
      url: messagesUrl(model.baseUrl),
      headers: toHeaders(model, options),
      body,
      list: "messages",
      prefix: toAnthropicPrefix(body),
    };
  },
  decoder: (model, out) => new AnthropicDecoder(model, out),
};

/** People write the base URL with and without `/v1`, as proxy documentation does. */
function messagesUrl(baseUrl: string): string {
  return `${baseUrl.replace(/\/+$/, "").replace(/\/v1$/, "")}/v1/messages`;
}

/** The user's headers come last and win. Only the list of beta features is merged, because both sides need theirs. */
function toHeaders(model: Model, options: RequestOptions): Record<string, string> {
  const headers = new Headers({ "anthropic-version": "2023-06-01", ...credentials(options.apiKey) });
  for (const [name, value] of Object.entries({ ...model.headers, ...options.headers })) {
    const isBetaList = name.toLowerCase() === "anthropic-beta" && headers.has(name);
    headers.set(name, isBetaList ? `${headers.get(name)},${value}` : value);
  }
  return Object.fromEntries(headers);
}

function credentials(apiKey: string | undefined): Record<string, string> {
  if (!apiKey) return {}; // A proxy without a key, or one whose key is in the headers.
  if (!apiKey.startsWith("sk-ant-oat")) return { "x-api-key": apiKey };
  return { authorization: `Bearer ${apiKey}`, "anthropic-beta": "oauth-2025-04-20" };
}
