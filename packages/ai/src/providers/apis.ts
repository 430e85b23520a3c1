/**
 * Every wire API that a provider may name. `ai-sdk` is not one: a package that the user installed makes the request.
 */
export const PROVIDER_APIS = [
  "openai-completions",
  "openai-responses",
  "anthropic-messages",
  "google-generative-ai",
  "ai-sdk",
] as const;
export type ProviderApi = (typeof PROVIDER_APIS)[number];
