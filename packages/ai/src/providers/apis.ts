/** Every wire API a provider may name, whether or not this version can speak it. */
export const PROVIDER_APIS = [
  "openai-completions",
  "openai-responses",
  "anthropic-messages",
  "google-generative-ai",
  "ai-sdk",
] as const;
export type ProviderApi = (typeof PROVIDER_APIS)[number];

/** What `streamModel` can call. A model of another API is listed, but never offered as usable. */
export const CALLABLE_APIS: ReadonlySet<string> = new Set([
  "openai-completions",
  "anthropic-messages",
  "pintle-offline",
]);
