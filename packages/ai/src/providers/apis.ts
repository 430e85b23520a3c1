/** Every wire API a provider may name, whether or not this version can speak it. */
export const PROVIDER_APIS = [
  "openai-completions",
  "openai-responses",
  "anthropic-messages",
  "google-generative-ai",
  "ai-sdk",
] as const;
export type ProviderApi = (typeof PROVIDER_APIS)[number];
